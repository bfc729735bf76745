import { EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { type ListedEndpoint, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import {
  CreateEndpointAction,
  DisableEndpointAction,
  EnableEndpointAction,
  RotateSecretAction,
  SetUrlAction,
} from '../actions/endpoint-actions.tsx';
import { PreflightAction } from '../actions/preflight.tsx';
import { useFrozen } from '../actions/use-frozen.ts';
import { mayCall, webhooks } from '../calls.ts';
import { Panel } from '../components/panel.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';
import { enumName, formatTime, withNoun } from '../format.ts';
import { useSession } from '../session.ts';
import { EndpointEvents } from './endpoint-events.tsx';
import type { EndpointPlace } from './endpoint-place.ts';

/** An account has at most one endpoint in each environment. */
const MAX_ENDPOINTS = 2;
/** The service counts waiting events up to this number. */
const MOST_WAITING = 100;

/** Shows the endpoint of a supplier in one environment, and whether deliveries succeed. */
export function EndpointPanel({ account, environment }: EndpointPlace) {
  const { accountId } = account;
  const query = useQuery({
    queryKey: ['endpoints', accountId],
    queryFn: ({ signal }) => webhooks.listEndpoints({ accountId, pageSize: MAX_ENDPOINTS }, { signal }),
  });
  return (
    <Panel title={`Webhooks of ${enumName(EnvironmentSchema, environment)}`} query={query}>
      {({ endpoints }) => {
        const listed = endpoints.find(({ endpoint }) => endpoint?.environment === environment);
        return (
          <>
            <p>
              <EnvironmentBadge environment={environment} /> {listed ? '' : 'No endpoint.'}
            </p>
            {listed ? <Health listed={listed} /> : null}
            <EndpointActions account={account} environment={environment} listed={listed} />
            {listed ? <EndpointEvents account={account} environment={environment} /> : null}
          </>
        );
      }}
    </Panel>
  );
}

function Health({ listed: { endpoint, waiting, oldestWaitingSince } }: { readonly listed: ListedEndpoint }) {
  const more = waiting >= MOST_WAITING ? ' or more' : '';
  const since = oldestWaitingSince ? `, the oldest since ${formatTime(oldestWaitingSince)}` : '';
  return (
    <dl className="facts">
      <dt>URL</dt>
      <dd>{endpoint?.url}</dd>
      <dt>state</dt>
      <dd>{endpoint?.enabled ? 'enabled' : 'disabled'}</dd>
      <dt>deliveries</dt>
      <dd>
        {endpoint?.failingSince
          ? `failing since ${formatTime(endpoint.failingSince)}, ${withNoun(endpoint.failedAttempts, 'attempt')} in a row`
          : 'the last one succeeded, or there was none yet'}
      </dd>
      <dt>waiting</dt>
      <dd>{waiting === 0 ? 'none' : `${waiting}${more}${since}`}</dd>
      <dt>secret</dt>
      <dd>fingerprint {endpoint?.keyFingerprint}</dd>
    </dl>
  );
}

/** The actions this person may take on the endpoint, or on an environment without one. */
function EndpointActions({
  account,
  environment,
  listed,
}: EndpointPlace & { readonly listed: ListedEndpoint | undefined }) {
  const { roles } = useSession();
  const [asBegun, onOpen] = useFrozen(listed);
  const endpoint = asBegun?.endpoint;
  const rpc = WebhookService.method;
  // The same role may make all of these calls.
  if (!mayCall(roles, rpc.createEndpoint)) return null;
  const place = { account, environment, onOpen };
  return (
    <fieldset className="actions">
      <legend>Actions</legend>
      {endpoint ? (
        <>
          <SetUrlAction {...place} present={endpoint.url} />
          <RotateSecretAction {...place} />
          {endpoint.enabled ? <DisableEndpointAction {...place} /> : <EnableEndpointAction {...place} />}
        </>
      ) : (
        <CreateEndpointAction {...place} />
      )}
      {mayCall(roles, rpc.preflightEndpoint) ? <PreflightAction {...place} hasEndpoint={!!endpoint} /> : null}
    </fieldset>
  );
}
