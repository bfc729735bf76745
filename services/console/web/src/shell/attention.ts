import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf';
import { ApprovalService, ApprovalState } from '@supplier/proto/approval/v1/approval';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { APPROVING_SERVICES, clientOf, keyOf, queryOf, useMay } from '../calls.ts';
import { useEnvironment } from '../environment.ts';
import { sumOf } from '../figures.ts';
import { BESIDE_STREAM_MS } from '../queries.ts';
import type { Screen } from './screens.ts';

/** Beyond this, a count of a list's first page is shown as "20+". */
const MAX_COUNTED = 20;

/** Formats the count of a screen. The queues of submissions are counted exactly. */
export const formatCount = (path: Screen['path'], count: number): string =>
  count > MAX_COUNTED && path !== '/submissions' ? `${MAX_COUNTED}+` : count.toLocaleString('en-GB');

/** Queues that need a person. */
const STAFF_QUEUES: readonly Queue[] = [Queue.STAFF_DECISION, Queue.STAFF_PRE_UNDERWRITING, Queue.PARKED];
const FIRST = { pageSize: MAX_COUNTED + 1 };

/** Polls a call, for people who may make it. */
function usePolled<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
) {
  const may = useMay();
  return useQuery({
    ...queryOf(method, request),
    enabled: may(method),
    refetchInterval: BESIDE_STREAM_MS,
  });
}

/** Returns how many items need attention, by the path of the screen that lists them. */
export function useAttention(): Partial<Record<Screen['path'], number>> {
  const queues = usePolled(SubmissionService.method.getQueues, { environment: useEnvironment() });
  const pending = usePendingApprovals();
  const erasures = useErasuresInProgress();
  const failing = useFailingEndpoints();
  const waiting = (queues.data?.queues ?? []).filter(({ queue }) => STAFF_QUEUES.includes(queue));
  return {
    '/submissions': Number(sumOf(waiting, ({ count }) => count)),
    '/approvals': pending.data?.length ?? 0,
    '/webhooks': failing.data?.endpoints.length ?? 0,
    '/data-requests': erasures.data?.erasures.length ?? 0,
  };
}

/** Returns the first pending approvals of each service. */
export function usePendingApprovals() {
  const may = useMay();
  const { listApprovals } = ApprovalService.method;
  const request = { state: ApprovalState.WAITING, ...FIRST };
  return useQuery({
    queryKey: keyOf(listApprovals, request),
    enabled: may(listApprovals),
    refetchInterval: BESIDE_STREAM_MS,
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        APPROVING_SERVICES.map(async (service) => {
          const answer = await clientOf(ApprovalService, service).listApprovals(request, { signal });
          return answer.approvals.map((approval) => ({ service, approval }));
        }),
      );
      return lists.flat();
    },
  });
}

/** Returns the first failing webhook endpoints of the environment. */
export const useFailingEndpoints = () =>
  usePolled(WebhookService.method.listEndpoints, { environment: useEnvironment(), failing: true, ...FIRST });

/** Returns the first erasures in progress. */
export const useErasuresInProgress = () =>
  usePolled(PrivacyService.method.listErasures, { inProgress: true, ...FIRST });
