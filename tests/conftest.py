"""Property tests without a clock: a busy machine must not fail them."""

from hypothesis import settings

settings.register_profile("no-clock", deadline=None)
settings.load_profile("no-clock")
