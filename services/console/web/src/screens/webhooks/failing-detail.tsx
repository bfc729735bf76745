import { Environment } from '@supplier/proto/common/v1/status';
import type { ListedEndpoint } from '@supplier/proto/webhook/v1/webhook';
import { formatAgeSince, withNoun } from '../../format.ts';
import { causeOf } from './attempt.ts';
import { lastFailureOf, pendingOf } from './endpoint-health.ts';
import { useUndelivered } from './use-endpoint-health.ts';

interface FailingProps {
  readonly listed: ListedEndpoint;
}

/** Returns why the last attempt at a failing endpoint failed: "HTTP 404". Undefined while it is loaded or isn't known. */
function useFailureCause({ listed: { endpoint } }: FailingProps): string | undefined {
  const { accountId = '', environment = Environment.UNSPECIFIED } = endpoint ?? {};
  const { data } = useUndelivered(accountId, environment, false);
  const failure = lastFailureOf(data?.events ?? []);
  return failure && causeOf(failure);
}

export const FailureCause = (props: FailingProps) => useFailureCause(props) ?? null;

/** Why an endpoint fails, since when, and what is pending. */
export function FailingDetail(props: FailingProps) {
  const { listed } = props;
  const cause = useFailureCause(props);
  const detail = `${withNoun(listed.endpoint?.failedAttempts ?? 0n, 'failed attempt')} in ${formatAgeSince(listed.endpoint?.failingSince, Date.now())}, ${pendingOf(listed)}`;
  return cause ? `${cause}: ${detail}` : detail;
}
