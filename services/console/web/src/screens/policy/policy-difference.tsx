import { Box, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { GetPolicyResponse } from '@supplier/proto/submission/v1/policies';
import { structuredPatch } from 'diff';
import { type ReactNode, useMemo } from 'react';
import { PanelBody, PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { formatJson } from '../../format.ts';
import { POLICY } from './policy-texts.ts';

/** Long enough to compare two policies of 64 KiB that have something in common. */
const TIMEOUT_MS = 1_000;

interface DifferenceProps {
  readonly version: string;
  readonly text: string;
  readonly active: GetPolicyResponse | undefined;
}

/** The difference of a version from the active one, side by side and line by line. Formatting is ignored. */
export const PolicyDifference = ({ version, text, active }: DifferenceProps) => (
  <PanelFrame title={POLICY.changes} isFlush>
    {active?.policy ? (
      <SideBySide version={version} text={text} before={active.text} activeVersion={active.policy.version} />
    ) : (
      <PanelBody>{POLICY.noActive}</PanelBody>
    )}
  </PanelFrame>
);

interface SideBySideProps {
  readonly version: string;
  readonly text: string;
  readonly before: string;
  readonly activeVersion: string;
}

function SideBySide({ version, text, before, activeVersion }: SideBySideProps) {
  const rows = useMemo(() => rowsOf(before, text), [before, text]);
  if (version === activeVersion) return <PanelBody>{POLICY.isActiveVersion}</PanelBody>;
  if (!rows) return <PanelBody>{POLICY.tooDifferent}</PanelBody>;
  return (
    <SimpleTable
      label={POLICY.changedLines}
      empty={POLICY.sameText}
      heads={[
        POLICY.line,
        POLICY.activeVersion(visible(activeVersion)),
        POLICY.thisVersion(visible(version)),
      ]}
      rows={rows.map(({ line, left, right, isChanged }) => [
        <Text key="line" size="xs" c="dimmed" span>
          {line}
        </Text>,
        <Side key="left" mark={isChanged ? 'del' : 'span'} text={left} />,
        <Side key="right" mark={isChanged ? 'ins' : 'span'} text={right} />,
      ])}
    />
  );
}

const BACKGROUNDS = { del: 'var(--red-soft)', ins: 'var(--green-soft)', span: 'transparent' } as const;

interface SideProps {
  readonly mark: keyof typeof BACKGROUNDS;
  /** Undefined if this side has no such line. */
  readonly text: string | undefined;
}

const Side = ({ mark, text }: SideProps): ReactNode =>
  text === undefined ? null : (
    <Box
      component={mark}
      display="block"
      miw={240}
      px={4}
      td="none"
      bg={BACKGROUNDS[mark]}
      className="code-line mono wrapped"
    >
      {visible(text)}
    </Box>
  );

interface Row {
  /** Number of the line in the new text, or in the old one for a removed line. */
  readonly line: number;
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly isChanged: boolean;
}

/** Returns the changed lines with those around them, or undefined if the texts have too little in common. */
function rowsOf(before: string, after: string): readonly Row[] | undefined {
  const patch = structuredPatch('', '', formatJson(before), formatJson(after), undefined, undefined, {
    context: 3,
    timeout: TIMEOUT_MS,
  });
  return patch?.hunks.flatMap(({ oldStart, newStart, lines }) => {
    const rows: Row[] = [];
    let [oldLine, newLine] = [oldStart, newStart];
    for (let at = 0; at < lines.length; ) {
      const removed = runOf('-', lines, at);
      const added = runOf('+', lines, at + removed.length);
      if (removed.length + added.length === 0) {
        const text = lines[at]?.slice(1);
        rows.push({ line: newLine, left: text, right: text, isChanged: false });
        oldLine += 1;
        newLine += 1;
        at += 1;
        continue;
      }
      for (let pair = 0; pair < Math.max(removed.length, added.length); pair += 1)
        rows.push({
          line: pair < added.length ? newLine + pair : oldLine + pair,
          left: removed[pair],
          right: added[pair],
          isChanged: true,
        });
      oldLine += removed.length;
      newLine += added.length;
      at += removed.length + added.length;
    }
    return rows;
  });
}

/** Returns the lines from an index on that have a mark, without it. */
function runOf(mark: '+' | '-', lines: readonly string[], from: number): readonly string[] {
  const end = lines.findIndex((line, at) => at >= from && !line.startsWith(mark));
  return lines.slice(from, end === -1 ? lines.length : end).map((line) => line.slice(1));
}
