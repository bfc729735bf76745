import { visible } from '@supplier/lib/text/visible';
import { type StructuredPatch, structuredPatch } from 'diff';
import { useMemo } from 'react';
import { ScrollRegion } from '../components/scroll-region.tsx';

/** Long enough to compare two policies of 64 KiB that have something in common. */
const PATIENCE_MS = 1_000;
const MARKS = { '+': 'ins', '-': 'del', ' ': 'span' } as const;

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
}

/** Shows the difference between two policy texts line by line, ignoring formatting. */
export function PolicyDifference({ before, after }: DifferenceProps) {
  const patch = useMemo(() => patchOf(before, after), [before, after]);
  if (!patch) return <p>The versions differ too much for a line-by-line comparison.</p>;
  if (patch.hunks.length === 0) return <p>None.</p>;
  return (
    <ScrollRegion className="difference" label="Changed lines">
      {patch.hunks.map(({ oldStart, newStart, lines }) => (
        <pre key={`${oldStart} ${newStart}`}>
          {lines.map((line, place) => {
            const Mark = MARKS[line[0] as keyof typeof MARKS] ?? 'span';
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and never move
            return <Mark key={place}>{`${visible(line)}\n`}</Mark>;
          })}
        </pre>
      ))}
    </ScrollRegion>
  );
}

function patchOf(before: string, after: string): StructuredPatch | undefined {
  return structuredPatch('', '', laidOut(before), laidOut(after), undefined, undefined, {
    context: 3,
    timeout: PATIENCE_MS,
  });
}

/** Formats JSON with one line for each value. Other text is returned unchanged. */
function laidOut(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return text;
  }
}
