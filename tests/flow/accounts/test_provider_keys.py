"""What a provider publishes as its keys may be anything: signing in is refused, nothing breaks."""

from datetime import UTC, datetime

import pytest

from howgood.flow.accounts import provider
from howgood.settings import Settings

pytest.importorskip("joserfc", reason="signing in by a provider needs the extra accounts")


@pytest.mark.parametrize("published", [{}, {"keys": "x"}, {"keys": [1]}, {"keys": [{"kty": "?"}]}])
def test_what_is_no_set_of_keys_refuses_the_sign_in(monkeypatch, published):
    described = {"jwks_uri": "https://id.example.org/keys"}
    monkeypatch.setattr(provider, "_described", lambda _issuer: described)
    monkeypatch.setattr(provider, "_kept_keys", lambda _address, _age: published)
    settings = Settings(oidc_issuer="https://id.example.org", oidc_client="howgood")
    with pytest.raises(provider.ProviderError, match="signature does not hold"):
        provider._checked(settings, "a.b.c", "nonce", datetime(2026, 1, 1, tzinfo=UTC))
