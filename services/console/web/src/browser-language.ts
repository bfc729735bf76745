/**
 * Chromium says `en-US@posix` where the system has no locale. That is no language tag, and the chart library passes it
 * to Intl, which throws. This is imported before the library.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { configurable: true, value: 'en-GB' });
}
