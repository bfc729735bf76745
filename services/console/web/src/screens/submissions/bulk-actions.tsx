import type { DescMethod } from '@bufbuild/protobuf';
import { Alert, Badge, Button, Progress, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { Status, StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import type { BatchResult, BatchResults } from '@supplier/proto/submission/v1/staff_batches';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Fragment, memo, type ReactNode, useState } from 'react';
import { type ActionInput, ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { errorMessage, isLoggedOut, mayCall, submissions, withViolations } from '../../calls.ts';
import { Mono } from '../../components/mono.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SubmissionTable } from '../../components/submission-table.tsx';
import { enumLabel } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { sessionIsOver } from '../../session.ts';
import { type Decision, decidedAs, useDecision } from '../submission/decide.tsx';
import { useCompletion } from '../submission/pre-underwriting.tsx';
import { useReturn } from '../submission/return.tsx';
import { BATCH, type BatchRun, byOutcome, isDone, runInBatches } from './run-in-batches.ts';
import { countOf, environmentOf, suppliersOf } from './selected-counts.ts';

/** Maximum ids listed in a readable command. More go into a file. */
const MAX_IN_COMMAND = 10;

interface BulkActionsProps {
  /** At least one. */
  readonly selected: readonly ListedSubmission[];
  readonly onOpen: (isOpen: boolean) => void;
  /** Called with the ids that succeeded, as soon as they are known. */
  readonly onDone: (ids: readonly string[]) => void;
}

interface Action {
  readonly call: DescMethod;
  /**
   * Whether the action applies to this submission, as far as the list shows. It is offered when it applies to any
   * selected submission.
   */
  readonly isApplicable: (submission: ListedSubmission) => boolean;
  readonly render: (props: ActionProps) => ReactNode;
}

interface ActionProps extends BulkActionsProps {
  /** Number of selected submissions that the action applies to, as far as the list shows. */
  readonly applicable: number;
}

const rpc = SubmissionService.method;
const isReceived = ({ status }: ListedSubmission) => status === Status.RECEIVED;
const isAccepted = ({ status }: ListedSubmission) => status === Status.ACCEPTED;

const deciding = (decision: Decision): Action => ({
  call: rpc.decideSubmissions,
  isApplicable: isReceived,
  render: (props) => <DecideBulk {...props} decision={decision} />,
});

/** Every action on several submissions, in display order. */
const ACTIONS: Readonly<Record<string, Action>> = {
  accept: deciding(Status.ACCEPTED),
  reject: deciding(Status.REJECTED),
  duplicate: deciding(Status.DUPLICATE_NOT_ACCEPTED),
  completePreUnderwriting: {
    call: rpc.completePreUnderwritings,
    isApplicable: (submission) => isAccepted(submission) && submission.waitsForStaff,
    render: (props) => <CompleteBulk {...props} />,
  },
  return: {
    call: rpc.returnSubmissions,
    isApplicable: isAccepted,
    render: (props) => <ReturnBulk {...props} />,
  },
};

/** The available actions on the selected submissions. */
export default function BulkActions({
  roles,
  ...props
}: BulkActionsProps & { readonly roles: readonly string[] }) {
  return Object.entries(ACTIONS)
    .filter(([, { call, isApplicable }]) => mayCall(roles, call) && props.selected.some(isApplicable))
    .map(([name, { render, isApplicable }]) => (
      <Fragment key={name}>
        {render({ ...props, applicable: props.selected.filter(isApplicable).length })}
      </Fragment>
    ));
}

function DecideBulk({ decision, ...props }: ActionProps & { readonly decision: Decision }) {
  return (
    <BulkAction
      {...props}
      input={useDecision(decision)}
      description={`The supplier of each submission is notified that it is ${decidedAs(decision)}. This cannot be undone.`}
      send={(decisions) => submissions.decideSubmissions({ decisions })}
    />
  );
}

function ReturnBulk(props: ActionProps) {
  return (
    <BulkAction
      {...props}
      input={useReturn()}
      description="Each submission is returned to its supplier, who is notified and not charged. It cannot be accepted again."
      send={(returns) => submissions.returnSubmissions({ returns })}
    />
  );
}

function CompleteBulk(props: ActionProps) {
  return (
    <BulkAction
      {...props}
      input={useCompletion()}
      description="Pre-underwriting ends for each submission, which may bill or return it. Suppliers are notified. This cannot be undone."
      send={(completions) => submissions.completePreUnderwritings({ completions })}
    />
  );
}

function BulkAction<Fields>({
  selected,
  applicable,
  onOpen,
  onDone,
  input,
  description,
  send,
}: ActionProps & {
  readonly input: ActionInput<Fields>;
  readonly description: string;
  readonly send: (items: (Fields & { readonly submissionId: string })[]) => Promise<BatchResults>;
}) {
  const [answered, setAnswered] = useState<number>();
  const ids = selected.map(({ submissionId }) => submissionId);
  const isInFile = ids.length > MAX_IN_COMMAND;
  const run = async () => {
    setAnswered(0);
    try {
      const items = ids.map((submissionId) => ({ ...input.request, submissionId }));
      const answer = await runInBatches(items, send, setAnswered);
      if (answer.failure && isLoggedOut(answer.failure)) sessionIsOver();
      onDone(answer.results.filter(isDone).map(({ submissionId }) => submissionId));
      return answer;
    } finally {
      setAnswered(undefined);
    }
  };
  return (
    <ConfirmDialog
      name={input.name}
      description={[
        `${countOf(selected)} from ${suppliersOf(selected)}.`,
        description,
        applicable === selected.length
          ? ''
          : `${selected.length - applicable} of them can’t take this action and will be refused.`,
        'Each one succeeds or fails separately. If you get no response, try again: nothing is done twice.',
      ]
        .filter((text) => text !== '')
        .join(' ')}
      environment={environmentOf(selected)}
      size="xl"
      command={`${input.command} ${isInFile ? '--file ids.csv' : ids.join(' ')} ${input.flags} --yes`}
      isReady={input.isReady}
      isDestructive={input.isDestructive}
      onOpen={onOpen}
      run={run}
      renderResult={(answer) => <BulkResult selected={selected} answer={answer} />}
    >
      <StableTable label="Selected submissions" submissions={selected} maxHeight={220} />
      {input.fields}
      {isInFile ? (
        <Button
          size="compact-xs"
          mb="sm"
          onClick={() => saveFile('ids.csv', 'text/csv', [['submission_id', ...ids, ''].join('\r\n')])}
        >
          Save ids.csv for the terminal
        </Button>
      ) : null}
      {answered !== undefined && ids.length > BATCH ? (
        <div role="status">
          <Text size="sm">{`${answered} of ${ids.length} processed`}</Text>
          <Progress value={(answered / ids.length) * 100} aria-label="Progress" />
        </div>
      ) : null}
    </ConfirmDialog>
  );
}

/** Up to 1,000 rows need not render again on every keystroke. */
const StableTable = memo(SubmissionTable);

interface BulkResultProps {
  readonly selected: readonly ListedSubmission[];
  readonly answer: BatchRun;
}

/** The result for each submission. Failures, which need attention, come first. */
function BulkResult({ selected, answer: { results, failure } }: BulkResultProps) {
  const references = new Map(
    selected.map(({ submissionId, externalReference }) => [submissionId, externalReference]),
  );
  const { done, notDone, unknown } = byOutcome(results, selected.length);
  return (
    <>
      <Alert color={done.length === selected.length ? 'green' : 'yellow'} role="note" mb="sm">
        {`${done.length} of ${selected.length} done`}
        {notDone.length > 0 ? `, ${notDone.length} not done` : ''}
      </Alert>
      {failure === undefined ? null : (
        <Alert color="red" mb="sm">
          {`The outcome of ${unknown} of ${selected.length} is unknown: ${errorMessage(failure)} They stay selected. Try again: submissions already done are refused.`}
        </Alert>
      )}
      <SimpleTable
        label="Results"
        maxHeight={320}
        heads={['Reference', 'Result', '', 'ID']}
        rows={[...notDone, ...done].map((result) => [
          <Mono key="reference">{visible(references.get(result.submissionId) ?? '')}</Mono>,
          <Badge key="result" color={isDone(result) ? 'green' : 'red'}>
            {isDone(result) ? 'Done' : 'Not done'}
          </Badge>,
          outcomeOf(result),
          <Mono key="id">{result.submissionId}</Mono>,
        ])}
      />
    </>
  );
}

function outcomeOf({ outcome }: BatchResult): string {
  if (outcome.case === 'done') return `Now ${enumLabel(StatusSchema, outcome.value.status).toLowerCase()}`;
  if (outcome.case === 'refused') return withViolations(outcome.value.message, outcome.value.violations);
  return 'Reload this page: it is older than the service.';
}
