import { Box, Button, Group } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { GetPolicyResponse } from '@supplier/proto/submission/v1/policies';
import { useMemo, useState } from 'react';
import { PanelBody, PanelFrame } from '../../components/panel.tsx';
import { type DiffRow, diffRows } from './diff-rows.ts';

interface DifferenceProps {
  readonly version: string;
  readonly text: string;
  readonly active: GetPolicyResponse | undefined;
}

/** The difference of a version from the active one, line by line. Formatting is ignored. */
export const PolicyDifference = ({ version, text, active }: DifferenceProps) => (
  <PanelFrame title="Changes" isFlush>
    {active?.policy?.version === version ? <PanelBody>This is the active version.</PanelBody> : null}
    {active?.policy ? null : <PanelBody>There is no active policy to compare with.</PanelBody>}
    {active?.policy && active.policy.version !== version ? (
      <TextDifference
        before={active.text}
        after={text}
        heads={[`Active: ${active.policy.version}`, `This version: ${version}`]}
      />
    ) : null}
  </PanelFrame>
);

interface TextDifferenceProps {
  readonly before: string;
  readonly after: string;
  /** Names of the two texts. */
  readonly heads: readonly [before: string, after: string];
}

/** The changed lines of a text with those around them. A button shows all lines. */
export function TextDifference({ before, after, heads }: TextDifferenceProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => diffRows(before, after, isWhole), [before, after, isWhole]);
  if (rows.length === 0) return <PanelBody>The text is the same as that of the active version.</PanelBody>;
  return (
    <Box role="group" aria-label="Changed lines" className="diff mono">
      <Group justify="space-between" gap="xs" px="md" py={8}>
        <div>
          <div>− {visible(heads[0])}</div>
          <div>+ {visible(heads[1])}</div>
        </div>
        <Button size="compact-xs" ff="text" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show changes only' : 'Show all lines'}
        </Button>
      </Group>
      {rows.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids, and are replaced together
        <Line key={place} row={row} />
      ))}
    </Box>
  );
}

const ELEMENTS = { '-': 'del', '+': 'ins', ' ': 'div' } as const;
const MARKS = { '-': '−', '+': '+', ' ': '' } as const;

function Line({ row }: { readonly row: DiffRow }) {
  if ('skipped' in row)
    return (
      <div className="skipped">{`⋯ ${row.skipped} unchanged ${row.skipped === 1 ? 'line' : 'lines'}`}</div>
    );
  const Element = ELEMENTS[row.mark];
  return (
    <Element>
      <span>{row.line}</span>
      <b>{MARKS[row.mark]}</b>
      <span className="wrapped">{visible(row.text)}</span>
    </Element>
  );
}
