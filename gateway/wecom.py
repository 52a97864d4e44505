"""The WeCom client of this installation: its app, its secret, and the token that all processes share."""

from gateway.settings import Settings
from gateway.store import Store
from gateway.token_shelf import DatabaseShelf
from outbound.wecom.client import WeComClient
from outbound.wecom.settings import WeComSettings


def wecom_client(settings: Settings, store: Store) -> WeComClient | None:
    """Make a client whose access token is kept in the store, or None without a corp id."""
    if not settings.wecom_corp_id:
        return None
    told = WeComSettings(settings.wecom_corp_id, settings.wecom_secret.get_secret_value(), settings.wecom_api_base)
    return WeComClient(told, shelf=DatabaseShelf(store, settings))
