import { Badge, Box, Group, Skeleton, Stack, Tooltip } from '@mantine/core';
import type { Account } from '@supplier/proto/account/v1/account';
import { Environment } from '@supplier/proto/common/v1/status';
import { type Endpoint, type ListedEndpoint, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { PageActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { queryOf, useMay } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { Mono } from '../../components/mono.tsx';
import { Panel } from '../../components/panel.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatAgeSince, formatTime, withNoun } from '../../format.ts';
import type { EnvironmentInUrl } from '../../searches.ts';
import { causeOf, formatAttempt } from './attempt.ts';
import {
  ChangeUrlAction,
  CreateEndpointAction,
  EndpointStateAction,
  RotateSecretAction,
} from './endpoint-actions.tsx';
import { type EndpointHealth, LATEST, lastFailureOf, pendingCountOf, rateOf } from './endpoint-health.ts';
import { UndeliveredEvents } from './events.tsx';
import { PreflightAction } from './preflight.tsx';
import { RedeliverSinceAction, SendPendingAction, TestEventAction } from './send-actions.tsx';
import { useEndpointHealth, useUndelivered } from './use-endpoint-health.ts';

/** An account has at most one endpoint in each environment. */
const MAX_ENDPOINTS = 2;

const TITLES = { 1: 'Sandbox endpoint', 2: 'Production endpoint' } as const;

interface EndpointProps {
  readonly account: Account;
  readonly environment: EnvironmentInUrl;
}

/** The webhook endpoints of a supplier. */
export const SupplierEndpoints = ({ account }: Pick<EndpointProps, 'account'>) => (
  <Stack gap="md">
    <EndpointPanel account={account} environment={Environment.PRODUCTION} />
    <EndpointPanel account={account} environment={Environment.SANDBOX} />
  </Stack>
);

/** Returns the endpoint of a supplier in one environment. */
export function useEndpoint(accountId: string, environment: Environment) {
  const request = { accountId, pageSize: MAX_ENDPOINTS };
  const query = useQuery(queryOf(WebhookService.method.listEndpoints, request));
  const listed = query.data?.endpoints.find(({ endpoint }) => endpoint?.environment === environment);
  return { query, listed };
}

/** The endpoint of a supplier in one environment, its health, and the events that failed. */
function EndpointPanel({ account, environment }: EndpointProps) {
  const { accountId } = account;
  const { query, listed } = useEndpoint(accountId, environment);
  return (
    <Panel
      title={TITLES[environment]}
      query={query}
      actions={
        query.data ? <EndpointActions account={account} environment={environment} listed={listed} /> : null
      }
    >
      {() =>
        listed?.endpoint ? (
          <>
            <EndpointFacts listed={listed} endpoint={listed.endpoint} />
            <UndeliveredEvents accountId={accountId} environment={environment} />
          </>
        ) : (
          <p>No endpoint. Events are not sent in this environment until you create one.</p>
        )
      }
    </Panel>
  );
}

interface EndpointFactsProps {
  readonly listed: ListedEndpoint;
  readonly endpoint: Endpoint;
}

function EndpointFacts({ listed, endpoint }: EndpointFactsProps) {
  const { url, accountId, environment, keyFingerprint, failingSince, failedAttempts } = endpoint;
  const { data, error, refetch, isPending } = useEndpointHealth(accountId, environment);
  const undelivered = useUndelivered(accountId, environment);
  const isLoading = isPending || undelivered.isPending;
  // All at once, so that no fact moves another.
  const health = isLoading ? undefined : data;
  const failure = isLoading || !failingSince ? undefined : lastFailureOf(undelivered.data?.events ?? []);
  const { oldestWaitingSince } = listed;
  const now = Date.now();
  return (
    <Facts
      facts={[
        ['URL', <Mono key="url">{url}</Mono>],
        ['Status', <EndpointBadge key="status" endpoint={endpoint} />],
        failingSince && [
          'Failing for',
          `${formatAgeSince(failingSince, now)}, ${withNoun(failedAttempts, 'failed attempt')} in a row`,
        ],
        isLoading ? ['Last 24 hours', <Skeleton key="loading" className="loading" height={22} />] : undefined,
        failure && ['Cause', causeOf(failure)],
        failure && ['Last failed attempt', formatAttempt(failure)],
        error && !data
          ? ['Last 24 hours', <LoadError key="error" error={error} onRetry={() => void refetch()} />]
          : undefined,
        health && [
          'Last 24 hours',
          <div key="health">
            <HealthStrip health={health} />
            {rateOf(health)}
          </div>,
        ],
        health && ['Last success', <LastSuccess key="success" health={health} />],
        [
          'Pending events',
          `${pendingCountOf(listed)}${oldestWaitingSince ? `, oldest ${formatAgeSince(oldestWaitingSince, now)}` : ''}`,
        ],
        ['Signing secret', `Fingerprint ${keyFingerprint}`],
      ]}
    />
  );
}

/** Whether deliveries to an endpoint succeed. */
export const EndpointBadge = ({ endpoint: { enabled, failingSince } }: { readonly endpoint: Endpoint }) => {
  if (!enabled) return <Badge color="gray">Disabled</Badge>;
  return failingSince ? <Badge color="red">Failing</Badge> : <Badge color="green">Healthy</Badge>;
};

interface HealthProps {
  readonly health: EndpointHealth;
}

/** One bar for each of the last 24 hours. */
const HealthStrip = ({ health: { hours } }: HealthProps) => (
  <Group gap={3} wrap="nowrap" maw={420} mb={4} aria-hidden>
    {hours.map(({ startsAt, succeeded, failed }) => (
      <Tooltip
        key={String(startsAt.seconds)}
        label={`${formatTime(startsAt)}: ${succeeded} succeeded, ${failed} failed`}
      >
        <Box
          h={22}
          flex={1}
          bdrs={2}
          bg={failed > 0 ? 'var(--red)' : succeeded > 0 ? 'var(--green)' : 'var(--gray-soft)'}
        />
      </Tooltip>
    ))}
  </Group>
);

export const LastSuccess = ({ health: { lastSuccess, isCut } }: HealthProps) =>
  lastSuccess ? (
    <RelativeTime at={lastSuccess} />
  ) : isCut ? (
    `None in the latest ${LATEST} events`
  ) : (
    'None in 24 hours'
  );

/** The actions this person may take on the endpoint, or on an environment without one. */
function EndpointActions({
  account,
  environment,
  listed: present,
}: EndpointProps & { readonly listed: ListedEndpoint | undefined }) {
  const may = useMay();
  const [listed, onOpen] = useFrozen(present);
  const { createEndpoint, sendTestEvent, sendPendingEvents, redeliverSince } = WebhookService.method;
  // The same role may make all calls that change an endpoint.
  const isAdmin = may(createEndpoint);
  const props = { account, environment, listed, onOpen };
  return (
    <PageActions of={TITLES[environment]}>
      {isAdmin && !listed ? <CreateEndpointAction key="create" {...props} /> : null}
      {isAdmin ? <PreflightAction key="preflight" {...props} /> : null}
      {listed && may(sendPendingEvents) ? <SendPendingAction key="pending" {...props} /> : null}
      {listed && may(sendTestEvent) ? (
        <TestEventAction key="test" environment={environment} accountId={account.accountId} onOpen={onOpen} />
      ) : null}
      {listed && may(redeliverSince) ? <RedeliverSinceAction key="redeliver" {...props} /> : null}
      {isAdmin && listed ? <ChangeUrlAction key="url" {...props} /> : null}
      {isAdmin && listed ? <RotateSecretAction key="rotate" {...props} /> : null}
      {isAdmin && listed ? <EndpointStateAction key="state" {...props} /> : null}
    </PageActions>
  );
}
