import { Badge, ColorSwatch, Group, Progress, Tooltip } from '@mantine/core';
import {
  type Attempt,
  DeliveryState,
  DeliveryStateSchema,
  type Event,
  EventChangeSchema,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { RowActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { useMay } from '../../calls.ts';
import { ShortId } from '../../components/mono.tsx';
import { ScrollRegion } from '../../components/scroll-region.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { capitalize, enumLabel, formatDuration, formatTime } from '../../format.ts';
import { barWidth, colorOf, durationOf, formatPhases, PHASES, phasesOf, resultOf } from './attempt.ts';
import { isUndelivered } from './endpoint-health.ts';
import { ReadEventAction, RedeliverEventAction } from './event-actions.tsx';
import { SendEventNowAction } from './send-actions.tsx';

const PERCENT = 100;
/** Width of the longest attempt's bar. */
const BAR_PX = 100;

interface DeliveriesTableProps {
  readonly label: string;
  readonly events: readonly Event[];
}

/** Events with each delivery attempt and its phases. */
export function DeliveriesTable({ label, events }: DeliveriesTableProps) {
  const durations = events.flatMap(({ attempts }) => attempts.map(durationOf));
  const longestMs = Math.max(0, ...durations);
  return (
    <>
      <ScrollRegion label={label}>
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Attempt</th>
              <th scope="col">Response</th>
              <th scope="col">Phases</th>
              <th scope="col" className="number">
                Total
              </th>
              <th scope="col" aria-label="Actions" />
            </tr>
          </thead>
          {events.map((event) => (
            <EventRows key={event.eventId} event={event} longestMs={longestMs} />
          ))}
        </table>
      </ScrollRegion>
      {durations.length > 0 ? <Legend /> : null}
    </>
  );
}

const STATE_COLORS: Partial<Record<DeliveryState, string>> = {
  [DeliveryState.DELIVERED]: 'green',
  [DeliveryState.EXHAUSTED]: 'red',
  [DeliveryState.EXPIRED]: 'red',
  [DeliveryState.PENDING]: 'amber',
};

/** The state of an event's delivery. */
export const DeliveryBadge = ({ state }: { readonly state: DeliveryState }) => (
  <Badge color={STATE_COLORS[state] ?? 'gray'}>{enumLabel(DeliveryStateSchema, state)}</Badge>
);

/** One event: a row for its state and actions, then a row for each attempt. */
function EventRows({ event, longestMs }: { readonly event: Event; readonly longestMs: number }) {
  const { attempts, nextAttemptAt, redeliveredAs, supersededBy } = event;
  return (
    <tbody>
      <tr>
        <th scope="row">{enumLabel(EventChangeSchema, event.change)}</th>
        <td data-label="Recorded">
          <RelativeTime at={event.recordedAt} />
        </td>
        <td data-label="Status">
          <DeliveryBadge state={event.state} />
        </td>
        <td colSpan={2}>
          {nextAttemptAt ? `Next attempt ${formatTime(nextAttemptAt)}` : null}
          {supersededBy ? <OtherEvent text="Superseded by" id={supersededBy} /> : null}
          {redeliveredAs ? <OtherEvent text="Redelivered as" id={redeliveredAs} /> : null}
        </td>
        <td>
          <EventActions event={event} />
        </td>
      </tr>
      {attempts.map((attempt) => (
        <tr key={attempt.number}>
          <td />
          <td data-label="Attempt" className="nowrap">
            {attempt.number} · <RelativeTime at={attempt.startedAt} />
          </td>
          <td data-label="Response">
            <AttemptBadge attempt={attempt} />
          </td>
          <td data-label="Phases">
            <PhasesBar attempt={attempt} longestMs={longestMs} />
          </td>
          <td className="number" data-label="Total">
            {attempt.endedAt ? formatDuration(durationOf(attempt)) : '—'}
          </td>
          <td />
        </tr>
      ))}
    </tbody>
  );
}

/** A later event that took this one's place. */
const OtherEvent = ({ text, id }: { readonly text: string; readonly id: string }) => (
  <span>
    {text} <ShortId id={id} />
  </span>
);

/** The actions this person may take on an event. */
export function EventActions({ event: present }: { readonly event: Event }) {
  const may = useMay();
  const [event, onOpen] = useFrozen(present);
  const { sendEventNow, redeliverEvent, getEvent } = WebhookService.method;
  return (
    <RowActions>
      {event.nextAttemptAt && may(sendEventNow) ? <SendEventNowAction event={event} onOpen={onOpen} /> : null}
      {isUndelivered(event) && may(redeliverEvent) ? (
        <RedeliverEventAction event={event} onOpen={onOpen} />
      ) : null}
      {may(getEvent) ? <ReadEventAction event={event} onOpen={onOpen} /> : null}
    </RowActions>
  );
}

export const AttemptBadge = ({ attempt }: { readonly attempt: Attempt }) => (
  <Badge color={colorOf(attempt)}>{resultOf(attempt)}</Badge>
);

/** Phases have shades of the outcome's colour, the first the lightest. */
const SHADES = [2, 4, 6, 8];
const shadeOf = (color: string, phase: string) =>
  `${color}.${SHADES[PHASES.findIndex(([name]) => name === phase)]}`;

/** The phases of an attempt, to the scale of the longest one. */
function PhasesBar({ attempt, longestMs }: { readonly attempt: Attempt; readonly longestMs: number }) {
  const phases = phasesOf(attempt);
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  const text = formatPhases(attempt);
  return (
    <Tooltip label={text}>
      <Progress.Root
        size={8}
        w={barWidth(durationOf(attempt), longestMs, BAR_PX)}
        role="img"
        aria-label={text}
      >
        {phases.map(({ name, ms }) => (
          <Progress.Section
            key={name}
            value={(ms / total) * PERCENT}
            color={shadeOf(colorOf(attempt), name)}
            aria-hidden
          />
        ))}
      </Progress.Root>
    </Tooltip>
  );
}

/** What the colours and shades of the bars mean. */
const Legend = () => (
  <Group component="p" gap="sm" px="md" py="xs" m={0} fz="xs" c="dimmed">
    {PHASES.map(([name]) => (
      <Group component="span" key={name} gap={4}>
        <ColorSwatch size={8} color={`var(--mantine-color-${shadeOf('green', name).replace('.', '-')})`} />
        {capitalize(name)}
      </Group>
    ))}
    <span>Green: delivered. Red: failed. Gray: in progress. Widths are to scale.</span>
  </Group>
);
