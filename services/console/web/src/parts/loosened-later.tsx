import { Alert } from '@mantine/core';
import type { TermsLoosening } from '@supplier/proto/account/v1/scheduled_terms';
import { formatTime } from '../format.ts';

/** Warns that scheduled terms will let more through than the terms before them. */
export const LoosenedLater = ({ loosenings }: { readonly loosenings: readonly TermsLoosening[] }) => (
  <Alert color="yellow" role="note" title="Scheduled terms will loosen these terms">
    <ul>
      {loosenings.map(({ effectiveFrom, names }) => (
        <li key={formatTime(effectiveFrom)}>
          From {formatTime(effectiveFrom)}: {names.join(', ')}
        </li>
      ))}
    </ul>
  </Alert>
);

/** Returns the warning for an action whose response lists such terms, otherwise undefined. */
export const warningOf = ({ loosenedLater }: { readonly loosenedLater: readonly TermsLoosening[] }) =>
  loosenedLater.length > 0 ? <LoosenedLater loosenings={loosenedLater} /> : undefined;
