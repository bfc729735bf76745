import { Button, Callout } from '@blueprintjs/core';
import type { ReactNode } from 'react';
import type { Briefly } from './briefly.ts';

interface ShownBrieflyProps<Value> {
  readonly of: Briefly<Value>;
  /** Accessible name: "The applicant". */
  readonly label: string;
  readonly children: (value: Value) => ReactNode;
}

/**
 * Shows personal details with a notice that access is audited and a button to hide them, or the reason why they can't
 * be shown.
 */
export function ShownBriefly<Value>({ of, label, children }: ShownBrieflyProps<Value>) {
  if (of.refusal !== undefined)
    return (
      <Callout intent="warning" role="alert" compact>
        This cannot be shown: {of.refusal}
      </Callout>
    );
  if (of.isAsking) return <p role="status">Asking …</p>;
  if (of.value === undefined) return null;
  return (
    <section className="personal" aria-label={label}>
      <p>
        That you have asked for this, and why, is in the audit log. It goes after two minutes, and as soon as
        you leave. <Button onClick={of.hide}>Hide</Button>
      </p>
      {children(of.value)}
    </section>
  );
}
