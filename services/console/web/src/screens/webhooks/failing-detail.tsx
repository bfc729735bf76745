import { Environment } from '@supplier/proto/common/v1/status';
import type { ListedEndpoint } from '@supplier/proto/webhook/v1/webhook';
import { formatAgeSince, withNoun } from '../../format.ts';
import { causeOf } from './attempt.ts';
import { lastFailureOf, pendingOf } from './endpoint-health.ts';
import { useUndelivered } from './use-endpoint-health.ts';
import { WEBHOOKS } from './webhooks-texts.ts';

interface FailingProps {
  readonly listed: ListedEndpoint;
}

/** Why the last attempt at a failing endpoint failed: "HTTP 404". Empty while it is loaded, and if it isn't known. */
export function FailureCause({ listed: { endpoint } }: FailingProps) {
  const { accountId = '', environment = Environment.UNSPECIFIED } = endpoint ?? {};
  const { data } = useUndelivered(accountId, environment, false);
  const failure = lastFailureOf(data?.events ?? []);
  return failure ? causeOf(failure) : null;
}

/** Why an endpoint fails, since when, and what is pending. */
export const FailingDetail = ({ listed }: FailingProps) => (
  <>
    <FailureCause listed={listed} />{' '}
    {WEBHOOKS.failingDetail(
      withNoun(listed.endpoint?.failedAttempts ?? 0n, 'failed attempt'),
      formatAgeSince(listed.endpoint?.failingSince, Date.now()),
      pendingOf(listed),
    )}
  </>
);
