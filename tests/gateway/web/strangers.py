"""Stand-ins for the other side of a sign-in, on a port of their own: an OpenID Connect provider, and WeCom's login API."""

import base64
import hashlib
import secrets
import socket
import threading
import time
from urllib.parse import parse_qs, urlsplit

import uvicorn
from fastapi import FastAPI, Request
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "draftgate-tests", "client-secret"


class Stranger:
    """Serves `app` at `url` from a thread; a context manager that stops it."""

    def __init__(self):
        self.app = FastAPI()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, log_level="error", access_log=False))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self):
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()


class OidcProvider(Stranger):
    """Vouches for `subject`; `claims` change what the next id tokens say, `key` what they are signed with."""

    def __init__(self, clock):
        super().__init__()
        self.subject, self.claims, self.asked = "user-17", {}, []
        self.described, self._codes = {}, {}
        self.key = RSAKey.generate_key(2048, {"kid": "first"})
        self.shown = self.key

        @self.app.get("/.well-known/openid-configuration")
        def describe():
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
            } | self.described

        @self.app.get("/keys")
        def keys():
            return {"keys": [self.shown.as_dict(private=False)]}

        @self.app.post("/token")
        async def token(request: Request):
            form = {k: v[0] for k, v in parse_qs((await request.body()).decode()).items()}
            begun = self._codes.pop(form["code"], None)
            whole = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            fits = (
                begun is not None
                and request.headers.get("authorization") == f"Basic {whole}"
                and challenge == begun["code_challenge"]
                and form["redirect_uri"] == begun["redirect_uri"]
            )
            if not fits:
                return {"error": "invalid_grant"}
            now = int(clock().timestamp())
            claims = {"iss": self.url, "aud": CLIENT, "sub": self.subject, "nonce": begun["nonce"]}
            claims |= {"iat": now, "exp": now + 300} | self.claims
            return {"id_token": jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)}

    def visit(self, address):
        """What the person does there: gives the way back, as the provider would send it."""
        parts = urlsplit(address)
        asked = {k: v[0] for k, v in parse_qs(parts.query).items()}
        assert f"{parts.scheme}://{parts.netloc}" == self.url and parts.path == "/authorize"
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", CLIENT, "S256")
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return f"/sign-in/oidc/back?code={code}&state={asked['state']}"


class WeComLogin(Stranger):
    """Knows whose code is whose: `members` maps codes to what auth/getuserinfo answers."""

    def __init__(self):
        super().__init__()
        self.members = {"code-lin": {"userid": "LinXiaoYue"}, "code-guest": {"openid": "someone"}}

        @self.app.get("/cgi-bin/gettoken")
        def token():
            return {"errcode": 0, "errmsg": "ok", "access_token": "TOKEN", "expires_in": 7200}

        @self.app.get("/cgi-bin/auth/getuserinfo")
        def member(access_token: str, code: str):
            assert access_token == "TOKEN"
            found = self.members.pop(code, None)
            return {"errcode": 0, "errmsg": "ok"} | found if found else {"errcode": 40029, "errmsg": "invalid code"}
