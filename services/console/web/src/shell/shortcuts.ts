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
