import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DateTimeField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { DAY_MS, timeIn } from '../../dates.ts';
import { Findings } from './findings.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';
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
        title={RECONCILIATION.title}
        actions={
          results && (results.differences.length > 0 || results.comparison.repair) ? (
            <RepairAction results={results} begin={begin} />
          ) : null
        }
      />
      <Stack gap="md">
        <PanelFrame title={RECONCILIATION.compareTitle}>
          <Text size="sm" c="dimmed" mb="sm">
            {RECONCILIATION.help}
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
                label={RECONCILIATION.since}
                description={RECONCILIATION.sinceHelp}
                path="since"
                value={from}
                error={isTooOld ? RECONCILIATION.ageFault : undefined}
                onChange={setFrom}
              />
              <DateTimeField
                label={RECONCILIATION.until}
                description={RECONCILIATION.untilHelp}
                path="until"
                value={to}
                error={isReversed ? RECONCILIATION.orderFault : undefined}
                onChange={setTo}
              />
            </SimpleGrid>
            <Group gap="xs">
              <Button type="submit" variant="filled" disabled={isRunning || isTooOld || isReversed}>
                {RECONCILIATION.compare}
              </Button>
              {isRunning ? <Button onClick={stop}>{RECONCILIATION.stop}</Button> : null}
              <Text size="xs" c="dimmed">
                {RECONCILIATION.inTerminal} <Code>sss reconcile{flags}</Code>
              </Text>
            </Group>
          </form>
        </PanelFrame>
        {results ? <Findings results={results} /> : <Text c="dimmed">{RECONCILIATION.notCompared}</Text>}
      </Stack>
    </>
  );
}
