import { Accordion, Alert, Button, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { PolicyKind, PolicyService, type PolicyViolation } from '@supplier/proto/submission/v1/policies';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { policies, useMay, violationsOf } from '../../calls.ts';
import { TextField } from '../../components/fields.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { formatJson, quoted } from '../../format.ts';
import { kindName } from '../policies/policy-kinds.ts';
import { DryRun } from './dry-run.tsx';
import {
  isNumber,
  newVersion,
  numbersOf,
  type PolicyNumber,
  parsedPolicy,
  withNumber,
  withVersion,
} from './policy-numbers.ts';

interface DraftProps {
  readonly kind: PolicyKind;
  /** The text to start from. */
  readonly text: string;
}

/** Edits the numbers and the rules of a version, validates it, runs it against past decisions, and stores it as a new version. */
export function PolicyDraft({ kind, text: stored }: DraftProps) {
  const may = useMay();
  const [text, setText] = useState(() => {
    const policy = parsedPolicy(stored);
    return policy ? withVersion(policy, newVersion(new Date())) : formatJson(stored);
  });
  const [isTextOpen, setTextOpen] = useState(false);
  const check = useMutation({ mutationFn: () => policies.validatePolicy({ kind, text }) });
  const policy = parsedPolicy(text);
  const change = (next: string) => {
    setText(next);
    check.reset();
  };
  return (
    <Stack gap="md">
      <PanelFrame
        title="New version"
        actions={
          <>
            <Button loading={check.isPending} onClick={() => check.mutate()}>
              Validate
            </Button>
            <StorePolicyAction kind={kind} text={text} />
          </>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mb="sm">
          {policy ? (
            <>
              <TextInput
                label="Version"
                description="A new version needs a new name."
                value={policy.version}
                onChange={(event) => change(withVersion(policy, event.currentTarget.value))}
              />
              {numbersOf(policy).map((number, place) => (
                <NumberField
                  key={String(place)}
                  number={number}
                  onChange={(next) => change(withNumber(policy, number, next))}
                />
              ))}
            </>
          ) : null}
        </SimpleGrid>
        <Accordion
          variant="contained"
          value={isTextOpen || !policy ? RULES : null}
          onChange={(section) => setTextOpen(section !== null)}
        >
          <Accordion.Item value={RULES}>
            <Accordion.Control>Edit the rules</Accordion.Control>
            <Accordion.Panel>
              <Textarea
                label="Policy text (JSON)"
                description="Do not enter personal data: the audit log keeps the text."
                classNames={{ input: 'mono' }}
                rows={18}
                spellCheck={false}
                value={text}
                error={check.error ? violationsOf(check.error).get('text') : faultOf(text)}
                onChange={(event) => change(event.currentTarget.value)}
              />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {check.error ? (
          <LoadError error={check.error} title="Could not validate this" onRetry={() => check.mutate()} />
        ) : null}
        {check.data ? <Violations violations={check.data.violations} /> : null}
      </PanelFrame>
      {kind === PolicyKind.DECISION && may(PolicyService.method.dryRunPolicy) ? <DryRun text={text} /> : null}
    </Stack>
  );
}

/** A section's value becomes part of ids. */
const RULES = 'rules';

interface NumberFieldProps {
  readonly number: PolicyNumber;
  readonly onChange: (value: string) => void;
}

/** A number of a rule. What is typed changes the rule as soon as it is a number. */
function NumberField({ number: { rule, clause, value }, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? value;
  return (
    <TextInput
      label={visible(rule)}
      description={visible(clause)}
      inputMode="decimal"
      value={text}
      error={isNumber(text) ? undefined : 'Enter a number.'}
      onBlur={() => setTyped(undefined)}
      onChange={({ currentTarget: { value: next } }) => {
        setTyped(next);
        if (isNumber(next)) onChange(next);
      }}
    />
  );
}

/** Returns what is wrong while the text is being typed. The service checks the rules. */
function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'This is not valid JSON yet.';
  }
}

const Violations = ({ violations }: { readonly violations: readonly PolicyViolation[] }) => (
  <Alert color={violations.length === 0 ? 'green' : 'red'} role="status" mt="sm">
    {violations.length === 0 ? (
      'No errors. You can store this version.'
    ) : (
      <>
        Fix these errors:
        <ul aria-label="Errors" style={{ margin: 0, paddingLeft: 20 }}>
          {violations.map(({ rule, place, message }) => (
            <li key={`${place} ${message}`}>
              {rule === '' ? null : <strong>{visible(rule)}</strong>} {visible(place)}: {visible(message)}
            </li>
          ))}
        </ul>
      </>
    )}
  </Alert>
);

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the person has just stored the version, whose activation is the next step. */
    readonly isStored?: boolean;
  }
}

/** Stores a version, and opens its changes and its activation. */
function StorePolicyAction({ kind, text }: { readonly kind: PolicyKind; readonly text: string }) {
  const may = useMay();
  const navigate = useNavigate();
  const [note, setNote] = useState('');
  if (!may(PolicyService.method.storePolicy)) return null;
  return (
    <ConfirmDialog
      name="Store version"
      isPrimary
      description="Stores the text under its version. It cannot be changed later and decides nothing until it is activated, which is the next step."
      environment="both"
      command={`sss policies store ${kindName(kind)} --text "$(cat policy.json)" --note ${quoted(note.trim())}`}
      isReady={isPurpose(note) && text.trim() !== ''}
      onOpen={() => setNote('')}
      run={async () => {
        const { version } = await policies.storePolicy({ kind, text, note: note.trim() });
        await navigate({
          to: '/policies/$kind/$version',
          params: { kind: kindName(kind), version },
          search: { tab: 'changes' },
          state: { isStored: true },
        });
      }}
      toastOf={() => ({ message: 'Version stored' })}
    >
      <TextField
        label="Change note"
        description="Describe the change. No personal data."
        path="note"
        value={note}
        maxLength={500}
        onChange={setNote}
        autoFocus
        isReason
      />
    </ConfirmDialog>
  );
}
