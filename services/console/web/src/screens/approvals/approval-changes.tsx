import { Code, Text } from '@mantine/core';
import { wholly } from '@supplier/lib/text/visible';
import type { Approval, ApprovalLine } from '@supplier/proto/approval/v1/approval';
import { Mono, ShortId } from '../../components/mono.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { isId } from '../../format.ts';

/** Every value of an action, before and after. Ids and digests come last, the other lines keep their order. */
export function ApprovalChanges({ approval: { lines } }: { readonly approval: Approval }) {
  return (
    <SimpleTable
      label="Changes"
      heads={['Field', 'From', 'To']}
      rows={lines.toSorted((a, b) => Number(hasId(a)) - Number(hasId(b))).map(cellsOf)}
    />
  );
}

const hasId = ({ before = '', after = '' }: ApprovalLine): boolean => isId(before) || isId(after);

function cellsOf({ name, before, after }: ApprovalLine) {
  const field = <Mono key="field">{wholly(name)}</Mono>;
  if (after === undefined || before === after)
    return [
      field,
      <Value key="from" text={before ?? ''} />,
      <Text key="to" size="sm" c="dimmed">
        Unchanged
      </Text>,
    ];
  return [
    field,
    before === undefined ? '' : <Value key="from" text={before} color="var(--red-soft)" />,
    <Value key="to" text={after} color="var(--green-soft)" />,
  ];
}

const Value = ({ text, color }: { readonly text: string; readonly color?: string }) =>
  text === '' ? (
    <em>Empty</em>
  ) : isId(text) ? (
    <ShortId id={text} hasCopy />
  ) : (
    <ExactText text={text} {...(color ? { color } : {})} />
  );

/** Text chosen by a requester. Invisible characters are escaped, so that it can't imitate the screen around it. */
export const ExactText = ({ text, color }: { readonly text: string; readonly color?: string }) => (
  <Code
    color={color ?? 'transparent'}
    px={color ? 5 : 0}
    style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', unicodeBidi: 'isolate' }}
  >
    {wholly(text)}
  </Code>
);
