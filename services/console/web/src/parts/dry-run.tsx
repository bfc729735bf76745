import { Alert, Button, NativeSelect, Progress, TextInput } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { Environment, EnvironmentSchema, StatusSchema } from '@supplier/proto/common/v1/status';
import type { DryRunPolicyResponse } from '@supplier/proto/submission/v1/policy_effects';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { errorMessage, policies } from '../calls.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { enumName } from '../format.ts';

/** Longer than the maximum duration of a dry run. */
const RUN_MS = 130_000;
const LAST = [1_000, 10_000, 100_000];
const SHORTEST_PURPOSE = 3;

/**
 * Runs a policy text against past decisions and shows what would have been different. Changes nothing, and is audited.
 */
export function DryRun({ text }: { readonly text: string }) {
  const [purpose, setPurpose] = useState('');
  const [last, setLast] = useState(1_000);
  const [environment, setEnvironment] = useState<Environment>(Environment.UNSPECIFIED);
  const [accountId, setAccount] = useState('');
  const [seen, setSeen] = useState<DryRunPolicyResponse>();
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  const run = useMutation({
    mutationFn: async () => {
      setSeen(undefined);
      const control = new AbortController();
      underWay.current = control;
      const asked = { text, last, environment, accountId: accountId.trim(), purpose: purpose.trim() };
      try {
        const answers = policies.dryRunPolicy(asked, { signal: control.signal, timeoutMs: RUN_MS });
        for await (const answer of answers) setSeen(answer);
      } catch (error) {
        if (!control.signal.aborted) throw error;
      }
    },
  });
  const isReady = purpose.trim().length >= SHORTEST_PURPOSE;
  return (
    <>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !run.isPending) run.mutate();
        }}
      >
        <NativeSelect
          size="xs"
          label="Latest submissions"
          value={last}
          onChange={(event) => setLast(Number(event.target.value))}
        >
          {LAST.map((count) => (
            <option key={count} value={count}>
              {count.toLocaleString('en-GB')}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          size="xs"
          label="of"
          value={environment}
          onChange={(event) => setEnvironment(Number(event.target.value))}
        >
          {EnvironmentSchema.values.map(({ number }) => (
            <option key={number} value={number}>
              {number === 0 ? 'both environments' : enumName(EnvironmentSchema, number)}
            </option>
          ))}
        </NativeSelect>
        <TextInput
          size="xs"
          label="Account ID (optional)"
          value={accountId}
          maxLength={36}
          onChange={(event) => setAccount(event.target.value)}
        />
        <TextInput
          size="xs"
          label="Reason for the audit log, without personal data"
          value={purpose}
          maxLength={200}
          minLength={SHORTEST_PURPOSE}
          required
          onChange={(event) => setPurpose(event.target.value)}
        />
        <Button type="submit" disabled={!isReady} loading={run.isPending}>
          Dry run
        </Button>
        {run.isPending ? <Button onClick={() => underWay.current?.abort()}>Stop</Button> : null}
      </form>
      {run.error ? (
        <Alert color="red" role="alert">
          {errorMessage(run.error)}
        </Alert>
      ) : null}
      {seen ? <Found seen={seen} isUnderWay={run.isPending} /> : null}
    </>
  );
}

const COUNTS = [
  ['lookedAt', 'looked at'],
  ['unchanged', 'decided as they were'],
  ['unchangedByAnotherRule', 'of these, by another rule'],
  ['changed', 'decided differently'],
  ['passedOver', 'not tried'],
  ['failed', 'left undecided, because a condition fails'],
] as const satisfies readonly (readonly [keyof DryRunPolicyResponse, string])[];

function Found({ seen, isUnderWay }: { readonly seen: DryRunPolicyResponse; readonly isUnderWay: boolean }) {
  const share = seen.total > 0n ? Number(seen.lookedAt) / Number(seen.total) : 0;
  return (
    <>
      {isUnderWay ? <Progress value={share * 100} aria-label="Dry run" /> : null}
      <p role="status">
        {seen.finished ? 'Finished' : isUnderWay ? 'In progress' : 'Stopped early'}: {String(seen.lookedAt)}{' '}
        of {String(seen.total)}
      </p>
      <dl className="facts" aria-label="Counts after the change">
        {COUNTS.map(([field, name]) => [
          <dt key={name}>{name}</dt>,
          <dd key={field}>{String(seen[field])}</dd>,
        ])}
      </dl>
      {seen.changes.length === 0 ? null : (
        <ScrollRegion label="Table: changes">
          <table className="table" aria-label="Changes">
            <caption>Changed decisions</caption>
            <thead>
              <tr>
                <th scope="col">count</th>
                <th scope="col">from</th>
                <th scope="col">by rule</th>
                <th scope="col">to</th>
                <th scope="col">by rule</th>
              </tr>
            </thead>
            <tbody>
              {seen.changes.map(({ from, to, fromRule, toRule, count }) => (
                <tr key={`${from} ${fromRule} ${to} ${toRule}`}>
                  <th scope="row">{String(count)}</th>
                  <td>{enumName(StatusSchema, from)}</td>
                  <td>{visible(fromRule)}</td>
                  <td>{enumName(StatusSchema, to)}</td>
                  <td>{visible(toRule)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {seen.examples.length === 0 ? null : (
        <>
          <h3>Examples</h3>
          <ul aria-label="Examples">
            {seen.examples.map(({ submissionId, from, to, toRule, reason }) => (
              <li key={submissionId}>
                <Link to="/submissions/$submissionId" params={{ submissionId }}>
                  {submissionId}
                </Link>
                : {enumName(StatusSchema, from)}, would be{' '}
                {to === 0 ? 'left undecided' : `${enumName(StatusSchema, to)} by ${visible(toRule)}`}:{' '}
                {visible(reason)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
