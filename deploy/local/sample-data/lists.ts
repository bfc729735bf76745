// Invented names. Combinations of them belong to no business or person that we know of.

const words = (text: string) => text.trim().split(/\s+/);

export const FIRST_NAMES = words(`
  Amara Bethan Callum Daniel Elif Fiona Gareth Harpreet Isla Jamal
  Kirsty Liam Maryam Niamh Oliver Priya Rhys Saoirse Tomasz Yusuf`);

export const LAST_NAMES = words(`
  Abernethy Blackwood Chaudhry Dunmore Eastlake Fairweather Gallimore Hollis Iqbal Jessop Kowal Lockhart
  Mbeki Nettleton Okonjo Pemberton Quayle Rowntree Sandhu Thistlewood Underhill Vickers Whitlock`);

const PLACES = words(`
  Ashcombe Birchover Calderfold Dunmallet Eskmere Foxholm Gannetwick Harrowgill Inglebrook Kettlemoor
  Larkrigg Millthwaite Norhallow Otterspool Pikestone Quernford Ravenglade Saltcote Thornley Umberfield
  Vennacott Wexmoor Yarrowdale Brackenhill Coppergate Dovestone Elmswell Fernhurst Greystoke Hollinsend`);

/** Trades by their sector in the public API. */
const TRADES = {
  construction: ['Joinery', 'Groundworks', 'Roofing'],
  transport: ['Haulage', 'Couriers', 'Coach Hire'],
  manufacturing: ['Precision Engineering', 'Packaging', 'Ceramics'],
  'motor-trade': ['Garage', 'Tyres'],
  'retail-wholesale': ['Home Stores', 'Wholesale Foods', 'Outdoor Supplies'],
  hospitality: ['Kitchen', 'Brewing Co', 'Guest House'],
  'professional-services': ['Accountants', 'Surveyors'],
  healthcare: ['Dental Care', 'Care Homes', 'Veterinary Practice'],
  agriculture: ['Dairy', 'Nurseries'],
  'beauty-wellness': ['Hair and Beauty'],
  facilities: ['Cleaning Services', 'Grounds Maintenance'],
  'technology-media': ['Software', 'Print and Design'],
  education: ['Tuition'],
  other: ['Pet Boarding'],
};

/** Over 900 businesses: each trade in each place. */
export const BUSINESSES = Object.entries(TRADES).flatMap(([sector, trades]) =>
  trades.flatMap((trade) => PLACES.map((place) => ({ sector, name: `${place} ${trade}` }))),
);

export type Business = (typeof BUSINESSES)[number];

export const TOWNS = [
  { city: 'Leeds', postcode: 'LS99 9ZZ' },
  { city: 'Cardiff', postcode: 'CF99 9ZZ' },
  { city: 'Belfast', postcode: 'BT99 9ZZ' },
];

/** Ofcom's numbers for use in drama: each is followed by four digits, of which the first is 0. */
export const LANDLINES = ['0113 496', '0114 496', '0117 496', '0121 496', '0131 496', '0141 496', '020 7946'];
