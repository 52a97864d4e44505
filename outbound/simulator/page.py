"""The demo page: the customer's phone on the left, the operator's WeCom client on the right."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

PAGE = Path(__file__).with_name("page.html")
# nothing is loaded from elsewhere, and no other page may frame this one
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"


async def show(_request: Request) -> Response:
    """Show the page."""
    return HTMLResponse(PAGE.read_text("utf-8"), headers={"content-security-policy": POLICY})


PAGE_ROUTES = [Route("/", show, methods=["GET"])]
