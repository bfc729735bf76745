import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { Button, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { MaskedContactSchema, ReadEnquiryResponseSchema } from '@supplier/proto/submission/v1/read_enquiry';
import { ApplicationSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type ReactNode, useState } from 'react';
import { submissions, useMay } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { capitalize, enumLabel, formatTime, spaced } from '../../format.ts';

interface Details {
  readonly schema: DescMessage;
  readonly message: Message | undefined;
}

interface ApplicantProps {
  readonly submissionId: string;
  /** Whether there is an Application, which contains the applicant's details at the time it was created. */
  readonly hasApplication: boolean;
}

/** The applicant of a submission. Nothing is requested before a purpose is stated. */
export function ApplicantPanel({ submissionId, hasApplication }: ApplicantProps) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const details = useReveal<Details>();
  // People who may not read an Application see masked details only.
  const seesAll = may(SubmissionService.method.getApplication);
  const readMasked = (purpose: string) =>
    details.show(async (signal) => {
      const { masked } = await submissions.readEnquiry({ submissionId, purpose, masked: true }, { signal });
      return { schema: MaskedContactSchema, message: masked };
    });
  const readEnquiry = (purpose: string) =>
    details.show(async (signal) => ({
      schema: ReadEnquiryResponseSchema,
      message: await submissions.readEnquiry({ submissionId, purpose, masked: false }, { signal }),
    }));
  const readApplication = (purpose: string) =>
    details.show(async (signal) => ({
      schema: ApplicationSchema,
      message: await submissions.getApplication({ submissionId, purpose }, { signal }),
    }));
  return (
    <PanelFrame
      title="Applicant"
      actions={
        isOpen ? null : (
          <Button size="compact-sm" onClick={() => setOpen(true)}>
            Reveal…
          </Button>
        )
      }
    >
      {isOpen ? (
        <PurposeForm
          autoFocus
          isBusy={details.isAsking}
          actions={[
            { name: 'Masked details', run: readMasked },
            ...(seesAll ? [{ name: 'Full enquiry', run: readEnquiry }] : []),
            ...(seesAll && hasApplication ? [{ name: 'Application', run: readApplication }] : []),
          ]}
        />
      ) : (
        <Text size="sm" c="dimmed">
          Revealing details needs a purpose and is recorded in the audit log.
        </Text>
      )}
      <Revealed of={details} label="Applicant">
        {({ schema, message }) =>
          message ? <MessageFields schema={schema} message={message} /> : <p>The details have been erased.</p>
        }
      </Revealed>
    </PanelFrame>
  );
}

/** Shows all set fields of a message, with the contract's names in words. */
const MessageFields = ({ schema, message }: { readonly schema: DescMessage; readonly message: Message }) => (
  <Fields of={reflect(schema, message)} />
);

const Fields = ({ of }: { readonly of: ReflectMessage }) => (
  <Facts
    facts={of.fields
      .filter((field) => of.isSet(field))
      .map((field) => [nameOf(field), ofField(field, of), hasFields(field)] as const)}
  />
);

/** Amounts are whole pounds. The currency is beside the number. */
const isAmount = ({ name, fieldKind }: DescField) => fieldKind === 'scalar' && /_(gbp|amount)$/.test(name);
const nameOf = ({ name }: DescField) => capitalize(spaced(name.replace(/_gbp$/, '')));

/** Whether a value is a list of fields, which needs the whole width. */
const hasFields = ({ message }: DescField) =>
  message !== undefined && message.typeName !== TimestampSchema.typeName;

function ofField(field: DescField, of: ReflectMessage): ReactNode {
  switch (field.fieldKind) {
    case 'scalar':
      return `${isAmount(field) ? '£' : ''}${inWords(of.get(field))}`;
    case 'enum':
      return enumLabel(field.enum, of.get(field));
    case 'message':
      return ofMessage(of.get(field));
    case 'list':
      return (
        <ul className="items">
          {[...of.get(field)].map((item, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what a list holds has no id, and stays as it is
            <li key={place}>{ofItem(field, item)}</li>
          ))}
        </ul>
      );
    case 'map':
      throw new Error(`cannot show ${field.name}: it is a map`);
  }
}

function ofItem(field: DescField & { fieldKind: 'list' }, item: unknown): ReactNode {
  if (field.listKind === 'message') return ofMessage(item as ReflectMessage);
  return field.listKind === 'enum' ? enumLabel(field.enum, item as number) : inWords(item);
}

const ofMessage = (of: ReflectMessage): ReactNode =>
  of.desc.typeName === TimestampSchema.typeName ? formatTime(of.message as Timestamp) : <Fields of={of} />;

const inWords = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number' || typeof value === 'bigint') return value.toLocaleString('en-GB');
  return visible(String(value));
};
