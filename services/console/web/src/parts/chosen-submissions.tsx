import { Button } from '@blueprintjs/core';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { useBegun } from '../acts/begun.ts';
import { ActsOnSeveral, countOf } from '../acts/several.tsx';
import { useSession } from '../session.ts';
import { type Choosing, MOST_CHOSEN } from './choosing.tsx';

/**
 * The number of selected submissions and the available actions. It stays visible while scrolling. After an action, the
 * submissions that failed stay selected, so that they can be reviewed or retried.
 */
export function ChosenSubmissions({ choosing }: { readonly choosing: Choosing<ListedSubmission> }) {
  const { roles } = useSession();
  const [chosen, onOpen] = useBegun(choosing.chosen);
  const isAny = chosen.length > 0;
  return (
    <section className={isAny ? 'chosen' : ''} aria-label="Chosen submissions">
      <p role="status">
        {isAny ? `Chosen: ${countOf(chosen)}.` : ''}
        {chosen.length >= MOST_CHOSEN ? ' At most so many can be chosen at once.' : ''}
      </p>
      {isAny ? (
        <fieldset className="acts">
          <legend>What you can do with them</legend>
          <ActsOnSeveral roles={roles} chosen={chosen} onOpen={onOpen} onDone={choosing.leave} />
          <Button variant="minimal" onClick={choosing.clear}>
            Choose none
          </Button>
        </fieldset>
      ) : null}
    </section>
  );
}
