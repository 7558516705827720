"""Random tokens and their hashes."""

from accounts import opaque_tokens


def test_no_two_tokens_are_alike() -> None:
    made = {opaque_tokens.new("cpt_") for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(opaque_tokens.is_possible(token, "cpt_") for token in made)


def test_a_token_has_256_random_bits() -> None:
    assert len(opaque_tokens.new("")) == 43


def test_the_hash_tells_nothing_and_is_always_the_same() -> None:
    token = opaque_tokens.new("cpr_")
    assert opaque_tokens.digest(token) == opaque_tokens.digest(token)
    assert len(opaque_tokens.digest(token)) == 64
    assert token[4:] not in opaque_tokens.digest(token)


def test_what_cannot_be_a_token_is_told_without_hashing() -> None:
    for text in ("", "cpr", "cpr_" + "x" * 200, "cpr_ü", "cpt_abc"):
        assert not opaque_tokens.is_possible(text, "cpr_")


def test_text_that_is_no_unicode_has_a_hash_too() -> None:
    assert len(opaque_tokens.digest("\ud800")) == 64
