import { EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { type ListedEndpoint, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { useBegun } from '../acts/begun.ts';
import {
  CreateEndpointAct,
  DisableEndpointAct,
  EnableEndpointAct,
  RotateSecretAct,
  SetUrlAct,
} from '../acts/endpoint-acts.tsx';
import { PreflightAct } from '../acts/preflight.tsx';
import { mayCall, webhooks } from '../calls.ts';
import { useSession } from '../session.ts';
import { counted, timeOf, wordOf } from '../words.ts';
import { EndpointEvents } from './endpoint-events.tsx';
import type { EndpointPlace } from './endpoint-place.ts';
import { EnvironmentMark } from './marks.tsx';
import { Part } from './part.tsx';

/** An account has at most one endpoint in each environment. */
const MOST = 2;
/** The service counts waiting events up to this number. */
const MOST_WAITING = 100;

/** Shows the endpoint of a supplier in one environment, and whether deliveries succeed. */
export function EndpointPart({ account, environment }: EndpointPlace) {
  const { accountId } = account;
  const query = useQuery({
    queryKey: ['endpoints', accountId],
    queryFn: ({ signal }) => webhooks.listEndpoints({ accountId, pageSize: MOST }, { signal }),
  });
  return (
    <Part title={`Webhooks of ${wordOf(EnvironmentSchema, environment)}`} query={query}>
      {({ endpoints }) => {
        const listed = endpoints.find(({ endpoint }) => endpoint?.environment === environment);
        return (
          <>
            <p>
              <EnvironmentMark environment={environment} /> {listed ? '' : 'There is no endpoint.'}
            </p>
            {listed ? <Health listed={listed} /> : null}
            <EndpointActs account={account} environment={environment} listed={listed} />
            {listed ? <EndpointEvents account={account} environment={environment} /> : null}
          </>
        );
      }}
    </Part>
  );
}

function Health({ listed: { endpoint, waiting, oldestWaitingSince } }: { readonly listed: ListedEndpoint }) {
  const more = waiting >= MOST_WAITING ? ' or more' : '';
  const since = oldestWaitingSince ? `, the oldest since ${timeOf(oldestWaitingSince)}` : '';
  return (
    <dl className="facts">
      <dt>URL</dt>
      <dd>{endpoint?.url}</dd>
      <dt>state</dt>
      <dd>{endpoint?.enabled ? 'enabled' : 'disabled'}</dd>
      <dt>deliveries</dt>
      <dd>
        {endpoint?.failingSince
          ? `failing since ${timeOf(endpoint.failingSince)}, ${counted(endpoint.failedAttempts, 'attempt')} in a row`
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
function EndpointActs({
  account,
  environment,
  listed,
}: EndpointPlace & { readonly listed: ListedEndpoint | undefined }) {
  const { roles } = useSession();
  const [asBegun, onOpen] = useBegun(listed);
  const endpoint = asBegun?.endpoint;
  const rpc = WebhookService.method;
  // The same role may make all of these calls.
  if (!mayCall(roles, rpc.createEndpoint)) return null;
  const place = { account, environment, onOpen };
  return (
    <fieldset className="acts">
      <legend>What you can do</legend>
      {endpoint ? (
        <>
          <SetUrlAct {...place} present={endpoint.url} />
          <RotateSecretAct {...place} />
          {endpoint.enabled ? <DisableEndpointAct {...place} /> : <EnableEndpointAct {...place} />}
        </>
      ) : (
        <CreateEndpointAct {...place} />
      )}
      {mayCall(roles, rpc.preflightEndpoint) ? <PreflightAct {...place} hasEndpoint={!!endpoint} /> : null}
    </fieldset>
  );
}
