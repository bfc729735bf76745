import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DateTimeField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { DAY_MS, timeIn } from '../../dates.ts';
import { Findings } from './findings.tsx';
import { RepairAction } from './repair.tsx';
import { useReconciliation } from './use-reconciliation.ts';

const MAX_AGE_MS = 7 * DAY_MS;
/** More recent changes may still be on their way from one service to another. */
const YOUNGEST_MS = 60_000;

/** Compares the records of all services when a person starts it, for as long as they stay on this screen. */
export function ReconciliationScreen() {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { results, begin, stop } = useReconciliation();
  const [since, until] = [timeIn(from), timeIn(to)];
  const isTooOld = since !== undefined && Date.parse(since) < Date.now() - MAX_AGE_MS;
  const isReversed = since !== undefined && until !== undefined && since >= until;
  const isRunning = results?.isRunning ?? false;
  const flags = `${since ? ` --since ${since}` : ''}${until ? ` --until ${until}` : ''}`;
  return (
    <>
      <PageHeader
        title="Reconciliation"
        actions={
          results && (results.differences.length > 0 || results.comparison.repair) ? (
            <RepairAction results={results} begin={begin} />
          ) : null
        }
      />
      <Stack gap="md">
        <PanelFrame title="Compare records">
          <Text size="sm" c="dimmed" mb="sm">
            Compares the ledger with submissions, webhooks with status changes, and stored objects with
            documents. It stops when you leave this screen.
          </Text>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const now = Date.now();
              if (!isRunning && !isTooOld && !isReversed)
                begin({
                  since: new Date(since ?? now - DAY_MS),
                  until: new Date(until ?? now - YOUNGEST_MS),
                  repair: false,
                });
            }}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={0} maw={800}>
              <DateTimeField
                label="Changes since"
                description="Leave empty for the last 24 hours. At most seven days ago."
                path="since"
                value={from}
                error={isTooOld ? 'Enter a time within the last seven days.' : undefined}
                onChange={setFrom}
              />
              <DateTimeField
                label="Changes before"
                description="Leave empty for one minute ago."
                path="until"
                value={to}
                error={isReversed ? 'Enter a time after the start.' : undefined}
                onChange={setTo}
              />
            </SimpleGrid>
            <Group gap="xs">
              <Button type="submit" variant="filled" disabled={isRunning || isTooOld || isReversed}>
                Compare
              </Button>
              {isRunning ? <Button onClick={stop}>Stop</Button> : null}
              <Text size="xs" c="dimmed">
                In a terminal: <Code>sss reconcile{flags}</Code>
              </Text>
            </Group>
          </form>
        </PanelFrame>
        {results ? (
          <Findings results={results} />
        ) : (
          <Text c="dimmed">Nothing has been compared yet. Choose a period and select Compare.</Text>
        )}
      </Stack>
    </>
  );
}
