import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { lazy, useEffect, useState } from 'react';
import { formatRelative, formatTime } from '../format.ts';
import { timeZone } from '../preferences.ts';
import { OnDemand } from './on-demand.tsx';

/** Loaded for the first time that is pointed at. */
const Hint = lazy(() => import('./hint.tsx'));

const REFRESH_MS = 30_000;

/** A time relative to now ("4 min ago", "Today 14:02:11"), with the exact one for the pointer. */
export function RelativeTime({ at }: { readonly at: Timestamp | undefined }) {
  timeZone.use();
  const [now, setNow] = useState(Date.now);
  const [isPointedAt, setPointedAt] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (!at) return '—';
  const time = (
    <time dateTime={timestampDate(at).toISOString()} onPointerEnter={() => setPointedAt(true)}>
      {formatRelative(at, now)}
    </time>
  );
  return isPointedAt ? (
    <OnDemand fallback={time}>
      <Hint label={formatTime(at)}>{time}</Hint>
    </OnDemand>
  ) : (
    time
  );
}

/** An exact time in the person's time zone. */
export function ExactTime({ at }: { readonly at: Timestamp | undefined }) {
  timeZone.use();
  if (!at) return '—';
  return <time dateTime={timestampDate(at).toISOString()}>{formatTime(at)}</time>;
}
