"""Run the simulator by itself: `python -m outbound.simulator [port]`."""

import sys
import time
from contextlib import suppress

from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET

DEFAULT_PORT = 8800


def main() -> None:
    """Serve until interrupted."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_PORT
    with serve(port) as running, suppress(KeyboardInterrupt):
        told = f"demo page  {running.url}/\nWeCom API  {running.api_base}\ncorp id    {CORP_ID}\nsecret     {SECRET}\n"
        sys.stderr.write(f"{told}kf account {ACCOUNT}\n")
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
