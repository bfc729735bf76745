import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRelative, formatTime } from '../format.ts';
import { timeZone } from '../preferences.ts';

const REFRESH_MS = 30_000;

/** A time relative to now ("4 min ago", "Today 14:02:11"), with the exact one on hover and focus. */
export function RelativeTime({ at }: { readonly at: Timestamp | undefined }) {
  timeZone.use();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (!at) return '—';
  return (
    <Tooltip label={formatTime(at)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={timestampDate(at).toISOString()}>{formatRelative(at, now)}</time>
    </Tooltip>
  );
}

/** An exact time in the person's time zone. */
export function ExactTime({ at }: { readonly at: Timestamp | undefined }) {
  timeZone.use();
  if (!at) return '—';
  return <time dateTime={timestampDate(at).toISOString()}>{formatTime(at)}</time>;
}
