import { useState } from 'react';

/**
 * Returns the object of an action as it was when the dialog was opened, so that input is kept if the object changes. If
 * it did, the service rejects the request and explains why.
 */
export function useFrozen<Thing>(present: Thing): [asBegun: Thing, onOpen: (isOpen: boolean) => void] {
  const [begun, setBegun] = useState<{ readonly thing: Thing }>();
  const thing = begun ? begun.thing : present;
  return [thing, (isOpen) => setBegun(isOpen ? { thing } : undefined)];
}
