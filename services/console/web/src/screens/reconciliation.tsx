import { Button } from '@mantine/core';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { useState } from 'react';
import { DateTimeField, timeIn } from '../actions/date-time-field.tsx';
import { RepairAction } from '../actions/repair.tsx';
import { mayCall } from '../calls.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Findings } from '../parts/findings.tsx';
import { useReconciliation } from '../parts/reconciliation.ts';
import { useSession } from '../session.ts';

const DAY_MS = 86_400_000;
/** More recent changes may still be on their way from one service to another. */
const YOUNGEST_MS = 60_000;

/** Compares the records of all services when a person starts it, for as long as they stay on this screen. */
export function ReconciliationScreen() {
  const { roles } = useSession();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { seen, begin, stop } = useReconciliation();
  const [since, until] = [timeIn(from), timeIn(to)];
  const compare = () => {
    const now = Date.now();
    begin({
      since: new Date(since ?? now - DAY_MS),
      until: new Date(until ?? now - YOUNGEST_MS),
      repair: false,
    });
  };
  const flags = `${since ? ` --since ${since}` : ''}${until ? ` --until ${until}` : ''}`;
  return (
    <>
      <PageHeader title="Reconciliation" />
      {mayCall(roles, ReconciliationService.method.reconcile) ? (
        <>
          <p>
            Compares the ledger with submissions, webhooks with status changes, and stored objects with
            documents, and lists pending work. It runs until every service has finished, you stop it or you
            leave this screen.
          </p>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              compare();
            }}
          >
            <div className="filters">
              <DateTimeField
                id="records-since"
                label="Changes since"
                value={from}
                onChange={setFrom}
                help="A day ago unless stated. Less than seven days ago, also when it is put right: leave some hours."
              />
              <DateTimeField
                id="records-until"
                label="Changes before"
                value={to}
                onChange={setTo}
                help="A minute ago unless stated."
              />
            </div>
            <div className="row">
              <Button type="submit" disabled={seen?.isUnderWay ?? false}>
                Compare
              </Button>
              {seen?.isUnderWay ? <Button onClick={stop}>Stop</Button> : null}
            </div>
          </form>
          <p>
            In a terminal: <code className="command">sss reconcile{flags}</code>
          </p>
          {seen ? (
            <section className="panel">
              <h2>{seen.comparison.repair ? 'What was put right' : 'Differences'}</h2>
              <Findings seen={seen} />
              {seen.differences.length > 0 || seen.comparison.repair ? (
                <fieldset className="actions">
                  <legend>Actions</legend>
                  <RepairAction comparison={seen.comparison} begin={begin} isReady={!seen.isUnderWay} />
                  <p>
                    What is not possible is for people: <code>docs/reconciling.md</code> says what to do, by
                    the word under <em>what</em>.
                  </p>
                </fieldset>
              ) : null}
            </section>
          ) : null}
        </>
      ) : (
        <p>Your role cannot compare records.</p>
      )}
    </>
  );
}
