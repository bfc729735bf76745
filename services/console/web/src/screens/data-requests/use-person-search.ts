import type { FoundSubmission } from '@supplier/proto/submission/v1/privacy';
import { useCallback, useState } from 'react';
import { people } from '../../calls.ts';
import { isPurpose } from '../../components/purpose-field.tsx';
import { type Reveal, useReveal } from '../../components/use-reveal.ts';
import { firstOf } from './first-of.ts';

const PAGE = 200;

export interface FoundPeople {
  /** How the submissions were searched, in words. */
  readonly selectedBy: string;
  readonly submissions: readonly FoundSubmission[];
  readonly isComplete: boolean;
}

/** The search for a person: its terms and its results, which are discarded together. */
export interface PersonSearch {
  readonly email: string;
  readonly telephone: string;
  readonly purpose: string;
  readonly setEmail: (email: string) => void;
  readonly setTelephone: (telephone: string) => void;
  readonly setPurpose: (purpose: string) => void;
  readonly isReady: boolean;
  readonly find: (onFound: () => void) => void;
  readonly found: Reveal<FoundPeople>;
}

/** @param onHide called when the results are discarded; must be the same function on each render */
export function usePersonSearch(onHide: () => void): PersonSearch {
  const [email, setEmail] = useState('');
  const [telephone, setTelephone] = useState('');
  const [purpose, setPurpose] = useState('');
  // The search terms are personal data, too.
  const forget = useCallback(() => {
    setEmail('');
    setTelephone('');
    onHide();
  }, [onHide]);
  const found = useReveal<FoundPeople>(forget);
  const terms = {
    ...(email.trim() ? { email: email.trim() } : {}),
    ...(telephone.trim() ? { telephone: telephone.trim() } : {}),
  };
  const isReady = Object.keys(terms).length > 0 && isPurpose(purpose) && !found.isAsking;
  return {
    email,
    telephone,
    purpose,
    setEmail,
    setTelephone,
    setPurpose,
    isReady,
    find: (onFound) =>
      found.show(async (signal) => {
        const request = { ...terms, purpose: purpose.trim(), pageSize: PAGE };
        const all = await firstOf((pageToken) => people.findPerson({ ...request, pageToken }, { signal }));
        if (!signal.aborted) onFound();
        return { ...all, selectedBy: `selected from a search by ${Object.keys(terms).join(' and ')}` };
      }),
    found,
  };
}
