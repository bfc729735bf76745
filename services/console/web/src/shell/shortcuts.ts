/** Passed to `useHotkeys`: the shortcut itself decides whether the browser handles the key. */
export const KEEP_DEFAULT = { preventDefault: false };

/** Fields whose keys are text. */
const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select';
/** Controls that Enter presses. */
const PRESSED = 'a, button, summary, input';

/** Returns a shortcut that ignores keys typed into text fields and dialogs. */
export const outsideFields =
  (run: () => void) =>
  (event: KeyboardEvent): void => {
    const { activeElement } = document;
    if (activeElement?.matches(TEXT_FIELDS) || activeElement?.closest('[role=dialog]')) return;
    if (event.key === 'Enter' && activeElement?.matches(PRESSED)) return;
    event.preventDefault();
    run();
  };

/** Returns a shortcut for where a control stands. It ignores keys in fields, and beneath a dialog that opened above it. */
export const besideControl =
  (run: () => void, control: () => Element | null) =>
  (event: KeyboardEvent): void => {
    const top = [...document.querySelectorAll('[role=dialog]')].at(-1);
    if (document.activeElement?.matches(TEXT_FIELDS) || (top && !top.contains(control()))) return;
    event.preventDefault();
    run();
  };
