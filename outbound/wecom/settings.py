"""How one WeCom app is reached: its corp, its secret and the patience we have with it."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

API_BASE = "https://qyapi.weixin.qq.com/cgi-bin"


@dataclass(frozen=True, slots=True)
class WeComSettings:
    """Settings of one app. Times are seconds.

    `calls_per_minute` caps each call of this process (older copies of the documentation allow 2,000 a minute);
    0 switches the cap off, for a simulator. `secret_rest` is how long nothing is tried after a refused secret: repeating
    a wrong one bars the caller's address for an hour. Other stops rest for a minute before one trial.
    `proxy` is used only when given: the environment's proxy variables are not read.
    """

    corp_id: str
    secret: str = field(repr=False)
    base_url: str = API_BASE
    connect_timeout: float = 5.0
    read_timeout: float = 10.0
    calls_per_minute: int = 1500
    secret_rest: float = 3600.0
    proxy: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse an address that cannot work; raises ValueError with what to write instead."""
        url = urlsplit(self.base_url)
        if url.scheme not in ("http", "https") or not url.netloc:
            raise ValueError("the WeCom address must start with https:// (or http:// for the simulator)")
        if url.query or url.fragment:
            # debug=1 in an address lowers the platform's limit to 5 calls a minute
            raise ValueError("the WeCom address must end with its path, without ? or #")
        if not self.corp_id or not self.secret:
            raise ValueError("a WeCom app needs its corp id and its secret")
