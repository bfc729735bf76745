import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CertificatePart } from '../parts/certificate.tsx';
import { ChosenPeoplePart } from '../parts/chosen-people.tsx';
import { ErasuresPart } from '../parts/erasures.tsx';
import { type Chosen, FindPersonPart } from '../parts/find-person.tsx';
import { RetentionPart } from '../parts/retention.tsx';

const route = getRouteApi('/people');

/** Serves applicants' rights: finds, exports, holds and erases their data. */
export function PeopleScreen() {
  const { erasure } = route.useSearch();
  const [chosen, choose] = useState<Chosen>({ selectedBy: '', submissions: [] });
  return (
    <>
      <h1>People</h1>
      {erasure === undefined ? null : <CertificatePart key={erasure} erasureId={erasure} />}
      <FindPersonPart chosen={chosen} onChoose={choose} />
      <ChosenPeoplePart chosen={chosen} />
      <RetentionPart />
      <ErasuresPart />
    </>
  );
}
