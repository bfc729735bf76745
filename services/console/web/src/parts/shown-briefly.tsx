import { Button, Callout } from '@blueprintjs/core';
import type { ReactNode } from 'react';
import type { Briefly } from './briefly.ts';

interface ShownBrieflyProps<Value> {
  readonly of: Briefly<Value>;
  /** What to call it for those who do not see it: "The applicant". */
  readonly label: string;
  readonly children: (value: Value) => ReactNode;
}

/** Something personal, with what everybody who sees it should know, and a way to be rid of it; or why it is not shown. */
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
