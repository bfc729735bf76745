import { Alert, Button, Group, SimpleGrid, Stepper, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { TextField } from '../../components/fields.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeField } from '../../components/purpose-field.tsx';
import { withNoun } from '../../format.ts';
import { CertificatePanel } from './certificate.tsx';
import { CheckPanel, type Selection } from './check-matches.tsx';
import { SelectedSubmissions } from './selected-submissions.tsx';
import { type PersonSearch, usePersonSearch } from './use-person-search.ts';

/** The steps in their order. */
const [FIND, CHECK, ACT, CERTIFICATE] = [0, 1, 2, 3];

const NONE: Selection = { selectedBy: '', submissions: [] };

/** Leads through a request: finds an applicant, checks the matches, exports or erases them, and shows the certificate. */
export function RequestSteps() {
  const [step, setStep] = useState<number>(FIND);
  const [selection, select] = useState(NONE);
  const [erasureId, setErasureId] = useState<string>();
  // Without the matches there is nothing to check.
  const onHide = useCallback(() => setStep((now) => (now === CHECK ? FIND : now)), []);
  const search = usePersonSearch(onHide);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const isAny = selection.submissions.length > 0;
  return (
    <>
      <Stepper
        active={step}
        onStepClick={setStep}
        size="xs"
        mb="md"
        orientation={isNarrow ? 'vertical' : 'horizontal'}
      >
        <Stepper.Step label="Find" description="By email or telephone" />
        <Stepper.Step
          label="Check"
          description="Select this person"
          allowStepSelect={search.found.value !== undefined}
        />
        <Stepper.Step label="Export or erase" description="Or place a hold" allowStepSelect={isAny} />
        <Stepper.Step
          label="Certificate"
          description="What was erased"
          allowStepSelect={erasureId !== undefined}
        />
      </Stepper>
      {step === FIND ? (
        <FindPanel
          search={search}
          count={selection.submissions.length}
          onFind={() => {
            select(NONE);
            search.find(() => setStep(CHECK));
          }}
          onContinue={() => setStep(ACT)}
        />
      ) : null}
      {step === CHECK ? (
        <CheckPanel
          found={search.found}
          selection={selection}
          onSelect={select}
          onContinue={() => setStep(ACT)}
        />
      ) : null}
      {step === ACT ? (
        <SelectedSubmissions
          selection={selection}
          onErased={(id) => {
            setErasureId(id);
            select(NONE);
            setStep(CERTIFICATE);
          }}
        />
      ) : null}
      {step === CERTIFICATE && erasureId !== undefined ? <CertificatePanel erasureId={erasureId} /> : null}
    </>
  );
}

interface FindPanelProps {
  readonly search: PersonSearch;
  /** Number of submissions selected before. */
  readonly count: number;
  readonly onFind: () => void;
  readonly onContinue: () => void;
}

/** The search for an applicant. */
const FindPanel = ({ search, count, onFind, onContinue }: FindPanelProps) => (
  <PanelFrame title="Find applicant">
    <Text size="sm" c="dimmed" mb="sm">
      Search by email, telephone or both. What you enter is never stored.
    </Text>
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (search.isReady) onFind();
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={0}>
        <TextField
          path="email"
          label="Email"
          value={search.email}
          maxLength={320}
          onChange={search.setEmail}
          autoComplete="off"
        />
        <TextField
          path="telephone"
          label="Telephone"
          value={search.telephone}
          maxLength={40}
          onChange={search.setTelephone}
          autoComplete="off"
        />
      </SimpleGrid>
      <PurposeField value={search.purpose} onChange={search.setPurpose} />
      {search.found.refusal === undefined ? null : (
        <Alert color="red" mb="sm">
          {search.found.refusal}
        </Alert>
      )}
      <Group gap="xs">
        <Button type="submit" variant="filled" disabled={!search.isReady} loading={search.found.isAsking}>
          Find applicant
        </Button>
        {search.isReady || search.found.isAsking ? null : (
          <Text size="sm" c="dimmed">
            Enter an email or telephone, and a purpose.
          </Text>
        )}
        {count > 0 ? (
          <Button onClick={onContinue}>{`Continue with ${withNoun(count, 'submission')}`}</Button>
        ) : null}
      </Group>
    </form>
  </PanelFrame>
);
