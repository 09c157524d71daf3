"""Response headers: Permissions-Policy and Cache-Control."""

#: Browser features that no page needs; clipboard and full screen are used.
UNUSED_FEATURES = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid",
    "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
POLICY = ", ".join(f"{power}=()" for power in UNUSED_FEATURES)
#: Not stored anywhere, not even by the browser.
PRIVATE = "private, no-store"
