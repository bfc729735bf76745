import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DateTimeField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { Findings } from './findings.tsx';
import { periodOf, rangeOf } from './period.ts';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { RepairAction } from './repair.tsx';
import { useReconciliation } from './use-reconciliation.ts';

/** Compares the records of all services when a person starts it, for as long as they stay on this screen. */
export function ReconciliationScreen() {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { results, begin, stop } = useReconciliation();
  const { since, until, isTooOld, isReversed } = periodOf(from, to, Date.now());
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
              if (!isRunning && !isTooOld && !isReversed)
                begin({ ...rangeOf({ since, until }, Date.now()), repair: false });
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
