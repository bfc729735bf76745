import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Badge, Button, Code, Group, NativeSelect, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { ReturnReasonCategorySchema, StatusSchema } from '@supplier/proto/common/v1/status';
import { PolicyKind, type PolicyRule, PolicyService } from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { keyOf, policies } from '../../calls.ts';
import { LoadError } from '../../components/load-error.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DAY_MS } from '../../dates.ts';
import { enumFlag, enumLabel, formatTime, withNoun } from '../../format.ts';
import { compareRules } from './compare-rules.ts';

const PERIODS_DAYS = [1, 7, 30];

interface RulesProps {
  readonly kind: PolicyKind;
  readonly rules: readonly PolicyRule[];
  /** The rules of the active version, which mark what is new. Undefined while it is loading or if there is none. */
  readonly active: readonly PolicyRule[] | undefined;
}

/** The rules of a policy in evaluation order, and how many submissions each has decided. */
export function PolicyRules({ kind, rules, active }: RulesProps) {
  const [days, setDays] = useState(7);
  const { added, changed } = compareRules(active ?? rules, rules);
  const isDecision = kind === PolicyKind.DECISION;
  const heads = [
    'Order',
    'Rule',
    'Condition',
    ...(isDecision ? ['Result', 'Reason'] : ['Return category']),
    'Matches',
  ];
  return (
    <PanelFrame
      title="Rules"
      isFlush
      actions={
        <NativeSelect
          size="xs"
          aria-label="Count matches in the last"
          value={String(days)}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
          data={PERIODS_DAYS.map((count) => ({
            value: String(count),
            label: `Count matches in the last ${withNoun(count, 'day')}`,
          }))}
        />
      }
    >
      <SimpleTable
        label="Rules"
        empty="No rules."
        heads={heads}
        rows={rules.map(({ rule, condition, outcome, reason }, place) => [
          String(place + 1),
          <Group key="rule" gap={6} className="wrapped words">
            <strong>{inWords(visible(rule))}</strong>
            {added.includes(rule) ? <Badge color="green">New</Badge> : null}
            {changed.includes(rule) ? <Badge color="amber">Changed</Badge> : null}
          </Group>,
          <Code key="condition" block className="wrapped words">
            {inWords(visibleLinesOf(condition))}
          </Code>,
          <Outcome key="outcome" outcome={outcome} />,
          ...(isDecision
            ? [
                <Text key="reason" size="sm" className="wrapped">
                  {visible(reason)}
                </Text>,
              ]
            : []),
          <Matches key={days} rule={rule} kind={kind} days={days} />,
        ])}
      />
    </PanelFrame>
  );
}

/** The result of a rule: a decision, or the category of a return. */
function Outcome({ outcome }: { readonly outcome: string }) {
  const decision = StatusSchema.values.find(({ number }) => enumFlag(StatusSchema, number) === outcome);
  if (decision) return <StatusBadge status={decision.number} />;
  const category = ReturnReasonCategorySchema.values.find(
    ({ number }) => enumFlag(ReturnReasonCategorySchema, number) === outcome,
  );
  return (
    <Badge color="gray">
      {category ? enumLabel(ReturnReasonCategorySchema, category.number) : visible(outcome)}
    </Badge>
  );
}

/** Starts a line at each operator between conditions, but not inside of strings. */
const visibleLinesOf = (condition: string): string =>
  visible(condition).replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\s+(?:&&|\|\|)\s+/g, (part) =>
    /^\s/.test(part) ? `\n${part.trim()} ` : part,
  );

/** Lets names wrap after each dot, hyphen and underscore. */
const inWords = (text: string) =>
  text.split(/(?<=[._-])(?=[^\s._-])/).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no ids
    <Fragment key={place}>
      {place > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));

interface MatchesProps {
  readonly rule: string;
  readonly kind: PolicyKind;
  readonly days: number;
}

/** How many of the latest submissions a rule decided, across policy versions. Loaded on click. */
function Matches({ rule, kind, days }: MatchesProps) {
  const [isWanted, setWanted] = useState(false);
  const request = { rule, preUnderwriting: kind === PolicyKind.PRE_UNDERWRITING };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: keyOf(PolicyService.method.getRuleEffect, request, days),
    queryFn: ({ signal }) =>
      policies.getRuleEffect(
        { ...request, since: timestampFromDate(new Date(Date.now() - days * DAY_MS)) },
        { signal },
      ),
    enabled: isWanted,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  });
  if (error) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Button
        size="compact-xs"
        aria-label={`Count matches of ${rule}`}
        loading={isFetching}
        onClick={() => setWanted(true)}
      >
        Count
      </Button>
    );
  const details = [
    ...(data.complete ? [] : [`back to ${formatTime(data.lookedBackTo)}`]),
    ...data.versions.map(({ version, decided }) => `${visible(version)}: ${String(decided)}`),
  ];
  return (
    <div role="status">
      {`${String(data.decided)} of ${String(data.lookedAt)}`}
      {details.map((detail) => (
        <Text key={detail} size="xs" c="dimmed">
          {detail}
        </Text>
      ))}
    </div>
  );
}
