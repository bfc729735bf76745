import { useState } from 'react';

/**
 * What an act is about, as it was when somebody began with it: what they have typed stays, although the thing moves on
 * meanwhile. The service's refusal says what has happened.
 */
export function useBegun<Thing>(present: Thing): [asBegun: Thing, onOpen: (isOpen: boolean) => void] {
  const [begun, setBegun] = useState<{ readonly thing: Thing }>();
  const thing = begun ? begun.thing : present;
  return [thing, (isOpen) => setBegun(isOpen ? { thing } : undefined)];
}
