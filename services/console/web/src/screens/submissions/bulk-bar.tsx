import { Button, Group } from '@mantine/core';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { useFrozen } from '../../actions/use-frozen.ts';
import { MAX_SELECTED } from '../../components/selected-keys.ts';
import type { RowSelection } from '../../components/selection.tsx';
import { useSession } from '../../session.ts';
import { BulkActions } from './bulk-actions.tsx';
import { countOf } from './selected-counts.ts';
import { SUBMISSIONS } from './submissions-texts.ts';

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
    <Group component="section" gap="xs" aria-label={SUBMISSIONS.selection} {...(isAny ? BAR : {})}>
      <strong role="status">
        {isAny ? SUBMISSIONS.selected(countOf(selected)) : ''}
        {selected.length >= MAX_SELECTED ? ` ${SUBMISSIONS.limit}` : ''}
      </strong>
      {isAny ? (
        <>
          <BulkActions roles={roles} selected={selected} onOpen={onOpen} onDone={selection.deselect} />
          <Button ml="auto" onClick={selection.clear}>
            {SUBMISSIONS.clear}
          </Button>
        </>
      ) : null}
    </Group>
  );
}
