import type { MessageInitShape } from '@bufbuild/protobuf';
import { Button, NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import type {
  DryRunPolicyRequestSchema,
  DryRunPolicyResponse,
} from '@supplier/proto/submission/v1/policy_effects';
import { useState } from 'react';
import { policies, violationsOf } from '../../calls.ts';
import { FieldErrors, TextField } from '../../components/fields.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { enumLabel, UUID } from '../../format.ts';
import { useStoppable } from '../../stoppable.ts';
import { DryRunResult } from './dry-run-result.tsx';

/** Longer than the maximum duration of a dry run. */
const RUN_MS = 130_000;
const COUNTS = [1_000, 10_000, 100_000];

/** Runs dry runs, one at a time, and returns the results so far. */
export function useDryRun() {
  const [result, setResult] = useState<DryRunPolicyResponse>();
  const dryRun = useStoppable(async (signal, request: MessageInitShape<typeof DryRunPolicyRequestSchema>) => {
    setResult(undefined);
    for await (const answer of policies.dryRunPolicy(request, { signal, timeoutMs: RUN_MS }))
      setResult(answer);
  });
  return { ...dryRun, result };
}

/** Decides past submissions again by a text, and compares. Changes nothing, and is audited. */
export function DryRun({ text }: { readonly text: string }) {
  const [last, setLast] = useState(1_000);
  const [environment, setEnvironment] = useState<Environment>(Environment.UNSPECIFIED);
  const [account, setAccount] = useState('');
  const { result, run, isRunning, error, stop } = useDryRun();
  const accountId = account.trim();
  const isAccount = accountId === '' || UUID.test(accountId);
  return (
    <PanelFrame title="Dry run">
      <Text size="sm" c="dimmed" mb="sm">
        Decides past submissions again with this text and compares the results. Nothing changes. Recorded in
        the audit log.
      </Text>
      <FieldErrors value={error ? violationsOf(error) : new Map()}>
        <PurposeForm
          isBusy={isRunning}
          unready={isAccount ? undefined : 'Enter a complete account ID, or none.'}
          actions={[
            { name: 'Dry run', run: (purpose) => run({ text, last, environment, accountId, purpose }) },
          ]}
          fields={
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
              <NativeSelect
                label="Submissions"
                value={String(last)}
                onChange={(event) => setLast(Number(event.currentTarget.value))}
                data={COUNTS.map((count) => ({
                  value: String(count),
                  label: `Latest ${count.toLocaleString('en-GB')}`,
                }))}
              />
              <NativeSelect
                label="Environment"
                value={String(environment)}
                onChange={(event) => setEnvironment(Number(event.currentTarget.value))}
                data={EnvironmentSchema.values.map(({ number }) => ({
                  value: String(number),
                  label: number === 0 ? 'Both environments' : enumLabel(EnvironmentSchema, number),
                }))}
              />
              <TextField
                label="Account ID (optional)"
                path="account_id"
                value={account}
                maxLength={36}
                error={isAccount ? undefined : 'Enter a complete account ID.'}
                onChange={setAccount}
              />
            </SimpleGrid>
          }
        >
          {isRunning ? <Button onClick={stop}>Stop</Button> : null}
        </PurposeForm>
      </FieldErrors>
      {error ? <LoadError error={error} title="The dry run failed" /> : null}
      {result ? <DryRunResult result={result} isRunning={isRunning} /> : null}
    </PanelFrame>
  );
}
