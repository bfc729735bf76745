import { Alert, Button, Textarea } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { PolicyKind, PolicyService, type PolicyViolation } from '@supplier/proto/submission/v1/policies';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { StorePolicyAction } from '../actions/store-policy.tsx';
import { errorMessage, mayCall, policies } from '../calls.ts';
import { useSession } from '../session.ts';
import { DryRun } from './dry-run.tsx';

interface DraftProps {
  readonly kind: PolicyKind;
  /** The text to start from. */
  readonly text: string;
}

/** Edits the text of a version, validates it, runs it against past decisions, and stores it as a new version. */
export function PolicyDraft({ kind, text: stored }: DraftProps) {
  const { roles } = useSession();
  const [text, setText] = useState(stored);
  const label = useId();
  const check = useMutation({ mutationFn: () => policies.validatePolicy({ kind, text }) });
  const { validatePolicy, dryRunPolicy } = PolicyService.method;
  if (!mayCall(roles, validatePolicy)) return null;
  return (
    <section className="panel">
      <h2>New version</h2>
      <p id={label}>
        Edit the text and its version. Do not enter personal data: the audit log keeps each attempt.
      </p>
      <Textarea
        className="policy-text"
        aria-labelledby={label}
        rows={16}
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          check.reset();
        }}
      />
      <div className="row">
        <Button loading={check.isPending} disabled={text === ''} onClick={() => check.mutate()}>
          Validate
        </Button>
        <StorePolicyAction kind={kind} text={text} />
      </div>
      {check.error ? (
        <Alert color="red" role="alert">
          {errorMessage(check.error)}
        </Alert>
      ) : null}
      {check.data ? <Violations violations={check.data.violations} /> : null}
      {kind === PolicyKind.DECISION && mayCall(roles, dryRunPolicy) ? (
        <>
          <h3>Effect</h3>
          <DryRun text={text} />
        </>
      ) : null}
    </section>
  );
}

function Violations({ violations }: { readonly violations: readonly PolicyViolation[] }) {
  if (violations.length === 0) return <p role="status">No errors: it can be stored.</p>;
  return (
    <div role="status">
      <p>Fix these errors:</p>
      <ul aria-label="Errors">
        {violations.map(({ rule, place, message }) => (
          <li key={`${place} ${message}`}>
            {rule === '' ? null : <strong>{visible(rule)}</strong>} {visible(place)}: {visible(message)}
          </li>
        ))}
      </ul>
    </div>
  );
}
