import type { DescMethod } from '@bufbuild/protobuf';
import { Button } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import type { BatchResults } from '@supplier/proto/submission/v1/staff_batches';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Fragment, memo, type ReactNode, useState } from 'react';
import { mayCall, submissions } from '../calls.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';
import { withNoun } from '../format.ts';
import { saveFile } from '../save-file.ts';
import { BulkResult, isDone } from './bulk-result.tsx';
import { type ActionInput, ConfirmDialog } from './confirm-dialog.tsx';
import { type Decision, decidedAs, useDecision } from './decide.tsx';
import { useCompletion } from './pre-underwriting.tsx';
import { useReturn } from './return.tsx';
import { runInBatches, SLICE } from './run-in-batches.ts';

/** Maximum ids listed in a readable command. More go into a file. */
const MOST_IN_COMMAND = 10;

interface BulkActionsProps {
  /** At least one. */
  readonly chosen: readonly ListedSubmission[];
  readonly onOpen: (isOpen: boolean) => void;
  /** Called with the ids that succeeded, as soon as they are known. */
  readonly onDone: (ids: readonly string[]) => void;
}

interface Offered {
  readonly call: DescMethod;
  /**
   * Whether the action applies to this submission, as far as the list shows. It is offered when it applies to any
   * selected submission.
   */
  readonly isApplicable: (submission: ListedSubmission) => boolean;
  readonly render: (props: Offer) => ReactNode;
}

interface Offer extends BulkActionsProps {
  /** Number of selected submissions that the action applies to, as far as the list shows. */
  readonly fitting: number;
}

const rpc = SubmissionService.method;
const isReceived = ({ status }: ListedSubmission) => status === Status.RECEIVED;
const isAccepted = ({ status }: ListedSubmission) => status === Status.ACCEPTED;

/** Every action on several submissions, in display order. */
const ACTIONS: Readonly<Record<string, Offered>> = {
  accept: {
    call: rpc.decideSubmissions,
    isApplicable: isReceived,
    render: (props) => <DecideBulk {...props} decision={Status.ACCEPTED} />,
  },
  reject: {
    call: rpc.decideSubmissions,
    isApplicable: isReceived,
    render: (props) => <DecideBulk {...props} decision={Status.REJECTED} />,
  },
  duplicate: {
    call: rpc.decideSubmissions,
    isApplicable: isReceived,
    render: (props) => <DecideBulk {...props} decision={Status.DUPLICATE_NOT_ACCEPTED} />,
  },
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

/** Returns whether one of the roles may act on several submissions together. */
export const mayUseBulkActions = (roles: readonly string[]): boolean =>
  Object.values(ACTIONS).some(({ call }) => mayCall(roles, call));

/** The available actions on the selected submissions. */
export const BulkActions = ({ roles, ...props }: BulkActionsProps & { readonly roles: readonly string[] }) =>
  Object.entries(ACTIONS)
    .filter(([, { call, isApplicable }]) => mayCall(roles, call) && props.chosen.some(isApplicable))
    .map(([name, { render, isApplicable }]) => (
      <Fragment key={name}>
        {render({ ...props, fitting: props.chosen.filter(isApplicable).length })}
      </Fragment>
    ));

function DecideBulk({ decision, ...props }: Offer & { readonly decision: Decision }) {
  return (
    <BulkAction
      {...props}
      stated={useDecision(decision)}
      description={`Each supplier is notified that the submission is ${decidedAs(decision)}. This cannot be undone.`}
      ask={(decisions) => submissions.decideSubmissions({ decisions })}
    />
  );
}

function ReturnBulk(props: Offer) {
  return (
    <BulkAction
      {...props}
      stated={useReturn()}
      description="Each submission is returned to its supplier, who is notified and not charged. It cannot be accepted again."
      ask={(returns) => submissions.returnSubmissions({ returns })}
    />
  );
}

function CompleteBulk(props: Offer) {
  return (
    <BulkAction
      {...props}
      stated={useCompletion()}
      description="Pre-underwriting ends for each submission, which may bill or return it. Suppliers are notified. This cannot be undone."
      ask={(completions) => submissions.completePreUnderwritings({ completions })}
    />
  );
}

interface BulkActionProps<Fields> extends Offer {
  readonly stated: ActionInput<Fields>;
  readonly description: string;
  readonly ask: (items: (Fields & { readonly submissionId: string })[]) => Promise<BatchResults>;
}

function BulkAction<Fields>({
  chosen,
  fitting,
  onOpen,
  onDone,
  stated,
  description,
  ask,
}: BulkActionProps<Fields>) {
  const [answered, setAnswered] = useState<number>();
  const ids = chosen.map(({ submissionId }) => submissionId);
  const isInFile = ids.length > MOST_IN_COMMAND;
  const run = async () => {
    setAnswered(0);
    try {
      const items = ids.map((submissionId) => ({ ...stated.request, submissionId }));
      const answer = await runInBatches(items, ask, setAnswered);
      onDone(answer.results.filter(isDone).map(({ submissionId }) => submissionId));
      return answer;
    } finally {
      setAnswered(undefined);
    }
  };
  return (
    <ConfirmDialog
      name={stated.name}
      description={`${countOf(chosen)}, of ${suppliersOf(chosen)}. ${description}${unfitting(chosen.length - fitting)} Each one succeeds or fails separately. If you get no response, try again: nothing is done twice.`}
      environment={environmentOf(chosen)}
      command={`${stated.command} ${isInFile ? '--file ids.csv' : ids.join(' ')} ${stated.flags} --yes`}
      isReady={stated.isReady}
      onOpen={onOpen}
      run={run}
      renderResult={(answer) => <BulkResult chosen={chosen} answer={answer} />}
    >
      <Which chosen={chosen} />
      {stated.fields}
      {isInFile ? (
        <p>
          <Button
            size="xs"
            onClick={() => saveFile('ids.csv', 'text/csv', [['submission_id', ...ids, ''].join('\r\n')])}
          >
            Save ids.csv for the terminal
          </Button>
        </p>
      ) : null}
      {answered !== undefined && ids.length > SLICE ? (
        <p role="status">
          {answered} of {ids.length} are answered …
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

/** Lists the selected submissions. Memoised, because up to 1,000 rows need not render again on every keystroke. */
const Which = memo(({ chosen }: Pick<BulkActionsProps, 'chosen'>) => (
  <ScrollRegion label="Selected submissions" className="which">
    <ul>
      {chosen.map(({ submissionId, externalReference, environment, accountId }) => (
        <li key={submissionId}>
          {visible(externalReference)} <EnvironmentBadge environment={environment} />{' '}
          <small>
            {submissionId} of {accountId}
          </small>
        </li>
      ))}
    </ul>
  </ScrollRegion>
));

const inProduction = ({ environment }: ListedSubmission) => environment === Environment.PRODUCTION;

/** Returns production if all are in production, both if some are. */
function environmentOf(chosen: readonly ListedSubmission[]): Environment | 'both' {
  if (chosen.every(inProduction)) return Environment.PRODUCTION;
  return chosen.some(inProduction) ? 'both' : Environment.SANDBOX;
}

/** Returns the count by environment: "3 submissions, 1 in PRODUCTION and 2 in the sandbox". */
export function countOf(chosen: readonly ListedSubmission[]): string {
  const all = withNoun(chosen.length, 'submission');
  const production = chosen.filter(inProduction).length;
  if (production === 0) return `${all} in the sandbox`;
  if (production === chosen.length) return `${all} in PRODUCTION`;
  return `${all}, ${production} in PRODUCTION and ${chosen.length - production} in the sandbox`;
}

/** References are unique only within a supplier: two suppliers may use the same one. */
function suppliersOf(chosen: readonly ListedSubmission[]): string {
  const count = new Set(chosen.map(({ accountId }) => accountId)).size;
  return count === 1 ? 'one supplier' : `${count} suppliers`;
}

const unfitting = (count: number): string =>
  count === 0
    ? ''
    : ` ${count} of them ${count === 1 ? 'is' : 'are'} not in the state for it, as the list has them, and will be refused.`;
