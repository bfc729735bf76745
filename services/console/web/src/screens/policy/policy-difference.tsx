import { Box, Button, Group } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { GetPolicyResponse } from '@supplier/proto/submission/v1/policies';
import { useMemo, useState } from 'react';
import { PanelBody, PanelFrame } from '../../components/panel.tsx';
import { type DiffRow, diffRows } from './diff-rows.ts';
import { POLICY } from './policy-texts.ts';

interface DifferenceProps {
  readonly version: string;
  readonly text: string;
  readonly active: GetPolicyResponse | undefined;
}

/** The difference of a version from the active one, line by line. Formatting is ignored. */
export const PolicyDifference = ({ version, text, active }: DifferenceProps) => (
  <PanelFrame title={POLICY.changes} isFlush>
    {active?.policy?.version === version ? <PanelBody>{POLICY.isActiveVersion}</PanelBody> : null}
    {active?.policy ? null : <PanelBody>{POLICY.noActive}</PanelBody>}
    {active?.policy && active.policy.version !== version ? (
      <TextDifference
        before={active.text}
        after={text}
        heads={[POLICY.activeVersion(active.policy.version), POLICY.thisVersion(version)]}
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
  if (rows.length === 0) return <PanelBody>{POLICY.sameText}</PanelBody>;
  return (
    <Box role="group" aria-label={POLICY.changedLines} className="diff mono">
      <Group justify="space-between" gap="xs" px="md" py={8}>
        <div>
          <div>− {visible(heads[0])}</div>
          <div>+ {visible(heads[1])}</div>
        </div>
        <Button size="compact-xs" onClick={() => setWhole(!isWhole)}>
          {isWhole ? POLICY.showChanges : POLICY.showAll}
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
  if ('skipped' in row) return <div className="skipped">{POLICY.skippedLines(row.skipped)}</div>;
  const Element = ELEMENTS[row.mark];
  return (
    <Element>
      <span>{row.line}</span>
      <b>{MARKS[row.mark]}</b>
      <span className="wrapped">{visible(row.text)}</span>
    </Element>
  );
}
