import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Badge, Group, Progress, Tooltip } from '@mantine/core';
import {
  type Attempt,
  DeliveryState,
  DeliveryStateSchema,
  type Event,
  EventChangeSchema,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { ReadEventAction, RedeliverEventAction } from '../../actions/events.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { mayCall, webhooks } from '../../calls.ts';
import { Panel } from '../../components/panel.tsx';
import { ScrollRegion } from '../../components/scroll-region.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { enumLabel, formatDuration, formatTime } from '../../format.ts';
import { everyMs } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { SUBMISSION } from './submission-texts.ts';

const SUCCESS = 300;
const PERCENT = 100;

interface DeliveriesProps {
  readonly submissionId: string;
  readonly refetchMs: number;
}

/** The webhook events of a submission, and each delivery attempt with its phases. */
export function DeliveriesPanel({ submissionId, refetchMs }: DeliveriesProps) {
  const query = useQuery({
    queryKey: ['events', submissionId],
    refetchInterval: everyMs(refetchMs),
    queryFn: ({ signal }) => webhooks.listEvents({ submissionId }, { signal }),
  });
  return (
    <Panel title={SUBMISSION.deliveries} query={query} empty={SUBMISSION.noDeliveries} isFlush>
      {({ events }) =>
        events.length === 0 ? (
          <p className="empty">{SUBMISSION.noDeliveries}</p>
        ) : (
          <ScrollRegion label={SUBMISSION.deliveries}>
            <table aria-label={SUBMISSION.deliveries}>
              <thead>
                <tr>
                  <th scope="col">{SUBMISSION.event}</th>
                  <th scope="col">{SUBMISSION.attempt}</th>
                  <th scope="col">{SUBMISSION.response}</th>
                  <th scope="col">{SUBMISSION.phases}</th>
                  <th scope="col" className="number">
                    {SUBMISSION.total}
                  </th>
                  <th scope="col" aria-label="Actions" />
                </tr>
              </thead>
              {events.map((event) => (
                <EventRows key={event.eventId} event={event} />
              ))}
            </table>
          </ScrollRegion>
        )
      }
    </Panel>
  );
}

const STATE_COLORS: Partial<Record<DeliveryState, string>> = {
  [DeliveryState.DELIVERED]: 'green',
  [DeliveryState.EXHAUSTED]: 'red',
  [DeliveryState.EXPIRED]: 'red',
  [DeliveryState.PENDING]: 'amber',
};

/** One event: a row for its state and actions, then a row for each attempt. */
function EventRows({ event: present }: { readonly event: Event }) {
  const { roles } = useSession();
  const [event, onOpen] = useFrozen(present);
  const { redeliverEvent, getEvent } = WebhookService.method;
  const { attempts, nextAttemptAt, redeliveredAs, supersededBy } = present;
  return (
    <tbody>
      <tr>
        <th scope="row">{enumLabel(EventChangeSchema, present.change)}</th>
        <td>
          <RelativeTime at={present.recordedAt} />
        </td>
        <td>
          <Badge color={STATE_COLORS[present.state] ?? 'gray'}>
            {enumLabel(DeliveryStateSchema, present.state)}
          </Badge>
        </td>
        <td colSpan={2}>
          {nextAttemptAt ? SUBMISSION.nextAttempt(formatTime(nextAttemptAt)) : ''}
          {supersededBy ? SUBMISSION.supersededBy(supersededBy) : ''}
          {redeliveredAs ? SUBMISSION.redeliveredAs(redeliveredAs) : ''}
        </td>
        <td>
          <Group gap={6} wrap="nowrap">
            {isUndelivered(event) && mayCall(roles, redeliverEvent) ? (
              <RedeliverEventAction event={event} onOpen={onOpen} />
            ) : null}
            {mayCall(roles, getEvent) ? <ReadEventAction event={event} onOpen={onOpen} /> : null}
          </Group>
        </td>
      </tr>
      {attempts.map((attempt) => (
        <tr key={attempt.number}>
          <td />
          <td>
            {attempt.number} · <RelativeTime at={attempt.startedAt} />
          </td>
          <td>
            <AttemptBadge attempt={attempt} />
          </td>
          <td>
            <PhasesBar attempt={attempt} />
          </td>
          <td className="number">{totalOf(attempt)}</td>
          <td />
        </tr>
      ))}
    </tbody>
  );
}

const isUndelivered = ({ state, redeliveredAs }: Event) =>
  (state === DeliveryState.EXHAUSTED || state === DeliveryState.EXPIRED) && redeliveredAs === '';

function AttemptBadge({ attempt: { statusCode, errorClass, endedAt } }: { readonly attempt: Attempt }) {
  if (!endedAt && statusCode === undefined && errorClass === '')
    return <Badge color="gray">{SUBMISSION.inProgress}</Badge>;
  const isSuccess = statusCode !== undefined && statusCode < SUCCESS;
  return <Badge color={isSuccess ? 'green' : 'red'}>{statusCode ?? errorClass}</Badge>;
}

const totalOf = ({ startedAt, endedAt }: Attempt): string =>
  startedAt && endedAt
    ? formatDuration(timestampDate(endedAt).getTime() - timestampDate(startedAt).getTime())
    : '—';

const PHASES = [
  ['DNS', 'dnsMs', 'gray'],
  ['Connect', 'connectMs', 'amber'],
  ['TLS', 'tlsMs', 'blue'],
  ['Response', 'statusMs', 'green'],
] as const;

/** The share of each phase in the duration of an attempt. */
function PhasesBar({ attempt }: { readonly attempt: Attempt }) {
  const phases = PHASES.flatMap(([name, field, color]) => {
    const ms = attempt[field];
    return ms === undefined ? [] : [{ name, ms, color }];
  });
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  const text = phases.map(({ name, ms }) => `${name} ${formatDuration(ms)}`).join(', ');
  return (
    <Tooltip label={text}>
      <Progress.Root size={8} w={150} role="img" aria-label={text}>
        {phases.map(({ name, ms, color }) => (
          <Progress.Section key={name} value={(ms / total) * PERCENT} color={color} aria-hidden />
        ))}
      </Progress.Root>
    </Tooltip>
  );
}
