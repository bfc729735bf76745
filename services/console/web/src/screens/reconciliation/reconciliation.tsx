import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { DateTimeField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { formatTime, withNoun } from '../../format.ts';
import { Findings } from './findings.tsx';
import { periodOf, rangeOf } from './period.ts';
import type { Comparison } from './reconcile.ts';
import { type ComparisonResults, useReconciliation } from './use-reconciliation.ts';

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
            Compares the ledger with submissions and statements, webhooks with status changes, and documents
            with submissions and stored objects, in both directions. It stops when you leave this screen.
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

interface RepairProps {
  /** The comparison that found the differences. */
  readonly results: ComparisonResults;
  readonly begin: (comparison: Comparison) => void;
}

/** Repeats the comparison with repairs. The results replace the differences on the screen. */
function RepairAction({ results: { comparison, differences, isRunning }, begin }: RepairProps) {
  const { since, until } = comparison;
  return (
    <ConfirmDialog
      name="Repair differences"
      description={`Found ${withNoun(differences.length, 'difference')}. Compares all changes from ${formatTime(timestampFromDate(since))} until ${formatTime(timestampFromDate(until))} again, posts missing ledger lines, sends lost webhook events and removes unreferenced objects. This cannot be undone.`}
      environment="both"
      command={`sss reconcile --since ${since.toISOString()} --until ${until.toISOString()} --repair --yes`}
      // A running comparison would lose its findings.
      isReady={!isRunning}
      isDestructive
      run={async () => begin({ ...comparison, repair: true })}
      toastOf={() => ({ message: 'Repair started' })}
    />
  );
}
