package runnable

import "strings"

// programs are extensions of files that a computer, or the app with its plugins,
// runs or opens as a page with scripts.
var programs = words(`
exe com scr pif cpl msi msix msp mst appx bat cmd ps1 psm1 psc1 vbs vbe js mjs cjs jse ws wsf wsh wsc hta chm hlp
lnk url scf inf reg rgs sct shb shs gadget application appref-ms library-ms search-ms settingcontent-ms theme themepack xll xlam
sh bash zsh fish csh ksh command tool terminal workflow action scpt scptd applescript app pkg dmg mpkg webloc inetloc fileloc
desktop run bin elf so dylib dll sys drv ocx appimage deb rpm apk ipa jar jnlp class py pyc pyw pyz rb pl php lua tcl ts
html htm xhtml xht mht mhtml shtml svg svgz xml xsl xslt docm dotm xlsm xltm pptm potm ppam iqy oqy slk iso img vhd vhdx
`)

func words(t string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(t) {
		m[w] = true
	}
	return m
}
