import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { CertificatePanel } from '../parts/certificate.tsx';
import { ChosenPeoplePanel } from '../parts/chosen-people.tsx';
import { ErasuresPanel } from '../parts/erasures.tsx';
import { type Chosen, FindPersonPanel } from '../parts/find-person.tsx';
import { RetentionPanel } from '../parts/retention.tsx';

const route = getRouteApi('/data-requests');

/** Serves applicants' rights: finds, exports, holds and erases their data. */
export function DataRequestsScreen() {
  const { erasure } = route.useSearch();
  const [chosen, choose] = useState<Chosen>({ selectedBy: '', submissions: [] });
  return (
    <>
      <PageHeader title="Data requests" />
      {erasure === undefined ? null : <CertificatePanel key={erasure} erasureId={erasure} />}
      <FindPersonPanel chosen={chosen} onChoose={choose} />
      <ChosenPeoplePanel chosen={chosen} />
      <RetentionPanel />
      <ErasuresPanel />
    </>
  );
}
