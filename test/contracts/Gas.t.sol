// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IDepositRouter, Order, Patch, SELF, Step} from "./support/IDepositRouter.sol";
import {SignedOrders} from "./support/SignedOrders.sol";
import {WrappedNative} from "./support/Tokens.sol";
import {OpenZeppelinVault} from "./support/Vaults.sol";

/// @notice OpenZeppelin's real token, because the test token's switches cost gas of their own.
contract PlainToken is ERC20("Plain", "PLN") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @notice What the Router costs on top of the vault, in whole calls after refunds: the table of .github/docs/router.md.
/// The depositor keeps some of his tokens and has shares already. Allowances for USDC are exact, so that a direct call
/// gets a refund for clearing them, which the cap on refunds takes from the Router's; those for the plain token remain.
contract GasTest is SignedOrders {
    event Measured(string what, uint256 gas);

    PlainToken internal plain;
    OpenZeppelinVault internal plainVault;

    function setUp() public override {
        super.setUp();
        plain = new PlainToken();
        plainVault = new OpenZeppelinVault(address(plain), 0);
        plain.mint(owner, 10e18);
        _depositDirectly(address(plain), plainVault, 1e18);
        _depositDirectly(address(usdc), fiatVault, 1e6);
    }

    function _depositDirectly(address asset, OpenZeppelinVault into_, uint256 amount) private {
        vm.prank(owner);
        ERC20(asset).approve(address(into_), asset == address(plain) ? 10e18 : amount);
        vm.prank(owner);
        into_.deposit(amount, owner);
    }

    /// @dev Of the latest call: forge gives what is left after refunds when each call is a transaction of its own.
    function _used(string memory what) private returns (uint256 used) {
        used = vm.lastCallGas().gasTotalUsed;
        emit Measured(what, used);
    }

    function _plainOrder() private view returns (Order memory d, Step[] memory steps) {
        d = depositOf(address(plain), 1e18, address(plainVault));
        (d.receiver, d.minIn, d.minOut) = (owner, 1e18, 0.995e18);
        steps = one(vaultStep(address(plain), address(plainVault), owner));
    }

    /// forge-config: default.isolate = true
    function test_plainDepositCostsAtMost95000More() external {
        _depositDirectly(address(plain), plainVault, 1e18);
        uint256 direct = _used("plain token, directly");
        (Order memory d, Step[] memory steps) = _plainOrder();
        vm.prank(owner);
        plain.approve(address(router), 10e18);
        vm.prank(owner);
        router.execute(d, steps, none());
        uint256 routed = _used("plain token, through the Router");
        ok(routed <= direct + 95_000, "overhead");
    }

    /// forge-config: default.isolate = true
    function test_usdcInEveryWay() external {
        _depositDirectly(address(usdc), fiatVault, 1e6);
        _used("USDC, directly");
        Order memory d = signedOrder(1e6);
        vm.prank(owner);
        usdc.approve(address(router), 1e6);
        _used("its approval");
        vm.prank(owner);
        router.execute(d, signedSteps(), none());
        _used("USDC, approval");
        bytes memory sig = permitOf(address(router), 1e6, d.deadline);
        vm.prank(owner);
        router.executeWithPermit(d, signedSteps(), none(), sig);
        _used("USDC, permit");
        sig = authorization(owner, d, signedSteps(), none());
        vm.prank(mallory);
        router.executeWithAuthorization(d, signedSteps(), none(), owner, sig);
        _used("USDC, ERC-3009 by a relayer");
        approvePermit2();
        d.ref = "another";
        sig = witness(d, signedSteps(), none());
        vm.prank(mallory);
        router.executeWithPermit2(d, signedSteps(), none(), owner, sig);
        _used("USDC, Permit2 by a relayer");
    }

    /// forge-config: default.isolate = true
    function test_nativeAndRedeem() external {
        WrappedNative weth = new WrappedNative();
        OpenZeppelinVault wethVault = new OpenZeppelinVault(address(weth), 0);
        Step memory wrap = callStep(address(weth), abi.encodeCall(WrappedNative.deposit, ()));
        wrap.value = MAX;
        Order memory d = depositOf(NATIVE, 1 ether, address(wethVault));
        d.receiver = owner;
        vm.deal(owner, 10 ether);
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(owner);
            router.execute{value: 1 ether}(
                d, two(wrap, vaultStep(address(weth), address(wethVault), owner)), only(address(weth))
            );
        }
        _used("native in");
        Step memory redeem =
            callStep(address(wethVault), abi.encodeWithSignature("redeem(uint256,address,address)", 0, 0, 0));
        redeem.patches = new Patch[](3);
        redeem.patches[0] = Patch(4, address(wethVault), 0, 0);
        redeem.patches[1] = Patch(36, SELF, 0, 0);
        redeem.patches[2] = Patch(68, SELF, 0, 0);
        Step memory unwrap = callStep(address(weth), abi.encodeCall(WrappedNative.withdraw, (0)));
        unwrap.patches = patch(address(weth), 4);
        d = depositOf(address(wethVault), 1 ether, NATIVE);
        (d.receiver, d.direct) = (owner, false);
        vm.prank(owner);
        wethVault.approve(address(router), 2 ether);
        vm.prank(owner);
        router.execute(d, two(redeem, unwrap), none());
        _used("redeem, native out");
        vm.prank(owner);
        plainVault.approve(address(router), 0.5e18);
        d = depositOf(address(plainVault), 0.5e18, address(plain));
        (d.receiver, d.direct) = (owner, false);
        redeem.target = address(plainVault);
        redeem.patches[0].token = address(plainVault);
        vm.prank(owner);
        router.execute(d, one(redeem), none());
        _used("redeem");
    }
}
