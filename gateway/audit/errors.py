"""Why an audit cannot be made; one line that says what to do."""


class AuditError(Exception):
    """The audit cannot begin or go on; the message is for the person who started it."""


def missing_extra(extra: str) -> AuditError:
    """Say how to install what an engine needs."""
    return AuditError(f"this needs the extra `{extra}`: pip install 'draftgate[{extra}]'")
