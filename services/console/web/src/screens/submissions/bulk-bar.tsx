import { Button, Group } from '@mantine/core';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { lazy } from 'react';
import { useFrozen } from '../../actions/use-frozen.ts';
import { mayCall } from '../../calls.ts';
import { OnDemand } from '../../components/on-demand.tsx';
import { MAX_SELECTED } from '../../components/selected-keys.ts';
import type { RowSelection } from '../../components/selection.tsx';
import { useSession } from '../../session.ts';
import { countOf } from './selected-counts.ts';

/** Loaded when a row is selected first. */
const BulkActions = lazy(() => import('./bulk-actions.tsx'));

const { decideSubmissions, completePreUnderwritings, returnSubmissions } = SubmissionService.method;
const CALLS = [decideSubmissions, completePreUnderwritings, returnSubmissions];

/** Returns whether one of the roles may act on several submissions together. */
export const mayUseBulkActions = (roles: readonly string[]): boolean =>
  CALLS.some((call) => mayCall(roles, call));

/** Above the page, so that no row moves under the pointer when a selection begins. */
const BAR = {
  pos: 'fixed',
  bottom: 8,
  left: 'calc(var(--app-shell-navbar-offset, 0px) + 24px)',
  right: 24,
  px: 14,
  py: 8,
  bdrs: 'md',
  bg: 'var(--sidebar)',
  c: 'white',
  style: { zIndex: 2 },
} as const;

/**
 * The number of selected submissions and the available actions, at the bottom of the window. After an action, the
 * submissions that failed stay selected, so that they can be reviewed or retried.
 */
export function BulkBar({ selection }: { readonly selection: RowSelection<ListedSubmission> }) {
  const { roles } = useSession();
  const [selected, onOpen] = useFrozen(selection.selected);
  const isAny = selected.length > 0;
  return (
    <Group component="section" gap="xs" aria-label="Selected submissions" {...(isAny ? BAR : {})}>
      <strong role="status">
        {isAny ? `${countOf(selected)} selected.` : ''}
        {selected.length >= MAX_SELECTED ? ' You have reached the maximum selection.' : ''}
      </strong>
      {isAny ? (
        <>
          <OnDemand>
            <BulkActions roles={roles} selected={selected} onOpen={onOpen} onDone={selection.deselect} />
          </OnDemand>
          <Button ml="auto" onClick={selection.clear}>
            Clear
          </Button>
        </>
      ) : null}
    </Group>
  );
}
