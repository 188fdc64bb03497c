// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, IExecutor, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {OperatorToken, Token} from "./support/Tokens.sol";
import {BehaviourVault, Mode} from "./support/Vaults.sol";

/// @notice The attacker's contract: transfers what it can reach and calls back as configured.
contract Thief {
    address public target;
    bytes public data;
    bool public succeeded;
    uint256 public calls;

    function plan(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function act() public {
        calls += 1;
        (bool done,) = target.call(data);
        if (done) succeeded = true;
    }

    function called(address) external {
        act();
    }

    function moved(address, address, address, uint256, bool) external {
        act();
    }

    function grabFrom(Token token, address from) external {
        token.transferFrom(from, address(this), 1);
    }

    fallback() external payable {
        act();
    }
}

/// @notice Replays of historic losses of routers and aggregators. The victim holds a million and has given the Router
/// an unlimited approval; each attack has the form of the real one, and none may move a unit.
contract IncidentsTest is RouterTest {
    Thief internal thief;

    function setUp() public override {
        super.setUp();
        thief = new Thief();
        token.mint(mallory, 10e18);
        vm.prank(mallory);
        token.approve(address(router), MAX);
    }

    modifier victimKeepsAll() {
        _;
        eq(token.balanceOf(victim), 1_000_000e18, "the victim has lost nothing");
        eq(token.balanceOf(address(thief)), 0, "the thief has nothing");
    }

    function _steal() private view returns (bytes memory) {
        return abi.encodeCall(Token.transferFrom, (victim, mallory, 1_000_000e18));
    }

    /// @dev Mallory makes an honest deposit of her own money with one hostile step first.
    function _attack(Step memory hostile) private returns (bool done) {
        Order memory d = simple(1e18);
        Step[] memory steps = two(hostile, vaultStep(address(token), address(vault), bob));
        vm.prank(mallory);
        (done,) = address(router).call(abi.encodeCall(IDepositRouter.execute, (d, steps, none())));
    }

    function test_2022_03_LiFi_swapStepThatCallsTheToken() external victimKeepsAll {
        ok(!_attack(callStep(address(token), _steal())), "the caller of steps has no allowance");
    }

    function test_2022_10_TransitSwap_ownerNamedInTheCalldata() external victimKeepsAll {
        Order memory d = simple(1e18);
        (d.receiver, d.refundTo) = (mallory, victim);
        Step[] memory steps = one(vaultStep(address(token), address(vault), mallory));
        vm.prank(address(thief));
        vm.expectRevert(tokenSaid(address(token), "allowance"));
        router.execute(d, steps, none());
        (d.receiver, d.refundTo) = (victim, mallory);
        vm.prank(address(thief));
        vm.expectRevert(tokenSaid(address(token), "allowance"));
        router.execute(d, steps, none());
    }

    function test_2022_12_Rubic_tokenPassedAsTheRouterToCall() external victimKeepsAll {
        vm.deal(mallory, 1 ether);
        Step memory hostile = callStep(address(token), _steal());
        vm.prank(mallory);
        vm.expectRevert(stepSaid(0, "allowance"));
        router.execute{value: 1 ether}(depositOf(NATIVE, 1 ether, address(vault)), one(hostile), none());
    }

    function test_2023_02_Dexible_routeWithItsOwnSpenderAndData() external victimKeepsAll {
        Step memory hostile = callStep(address(token), _steal());
        (hostile.approveToken, hostile.spender) = (address(token), address(thief));
        ok(!_attack(hostile), "an allowance for the thief is of the clone's money only");
    }

    function test_2023_04_SushiRouteProcessor_callbackThatPaysForTheSender() external victimKeepsAll {
        bytes[3] memory callbacks = [
            abi.encodeWithSignature(
                "uniswapV3SwapCallback(int256,int256,bytes)", 1, 1, abi.encode(token, victim, uint256(1e18))
            ),
            abi.encodeWithSignature("pancakeV3SwapCallback(int256,int256,bytes)", 1, 1, abi.encode(token, victim)),
            abi.encodeWithSignature("onMorphoSupply(uint256,bytes)", 1, abi.encode(token, victim))
        ];
        for (uint256 i = 0; i < 3; ++i) {
            (bool routerAnswered,) = address(router).call(callbacks[i]);
            (bool executorAnswered,) = implementation.call(callbacks[i]);
            ok(!routerAnswered && !executorAnswered, "no callback exists");
        }
    }

    function test_2023_10_MaestroAndUnibot_arbitraryCallByAnyone() external victimKeepsAll {
        vm.expectRevert(IDepositRouter.OnlyRouter.selector);
        vm.prank(mallory);
        IExecutor(implementation).run(simple(1), one(callStep(address(token), _steal())), none());
    }

    function test_2024_01_Socket_zeroAmountThatPassesTheBalanceCheck() external victimKeepsAll {
        vm.expectRevert(IDepositRouter.ZeroAmount.selector);
        vm.prank(mallory);
        router.execute(simple(0), one(callStep(address(token), _steal())), none());
        ok(!_attack(callStep(address(token), _steal())), "nor does the step work when the amount is not zero");
    }

    function test_2024_02_Seneca_operationThatApprovesTheAttacker() external victimKeepsAll {
        Step memory approve = callStep(address(token), abi.encodeCall(Token.approve, (address(thief), MAX)));
        ok(_attack(approve), "the clone may approve whom it likes");
        eq(token.allowance(victim, address(thief)), 0, "but it is not the victim");
        eq(token.allowance(address(router), address(thief)), 0, "nor the Router");
        vm.expectRevert("allowance");
        thief.grabFrom(token, victim);
    }

    function test_2024_03_Unizen_callBehindTheContractThatHoldsTheApprovals() external victimKeepsAll {
        Step memory hostile = callStep(address(router), "");
        hostile.data =
            abi.encodeCall(IDepositRouter.execute, (simple(1e18), one(callStep(address(token), _steal())), none()));
        ok(!_attack(hostile), "the Router is no target");
    }

    function test_2024_03_ParaswapV6_callbackReachedThroughAnHonestCall() external victimKeepsAll {
        BehaviourVault hostile = new BehaviourVault(address(token), Mode.LendsControl);
        hostile.setHook(address(thief));
        thief.plan(
            address(router),
            abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", 1, 1, abi.encode(token, victim))
        );
        run(depositOf(address(token), 1e18, address(hostile)), into(address(hostile)));
        ok(thief.calls() == 1 && !thief.succeeded(), "called back in the middle, in vain");
    }

    function test_2024_07_LiFi_newModuleBehindAnOldApproval() external victimKeepsAll {
        bytes memory code = address(router).code;
        for (uint256 i = 0; i < code.length; ++i) {
            uint8 opcode = uint8(code[i]);
            ok(opcode != 0xf4 && opcode != 0xf2 && opcode != 0xff, "no DELEGATECALL, CALLCODE, SELFDESTRUCT");
            if (opcode >= 0x60 && opcode <= 0x7f) i += opcode - 0x5f;
        }
        string[6] memory doors =
            ["owner()", "upgradeTo(address)", "diamondCut()", "setRouter(address)", "pause()", "addModule(address)"];
        for (uint256 i = 0; i < doors.length; ++i) {
            (bool opened,) = address(router).call(abi.encodeWithSignature(doors[i], mallory));
            ok(!opened, doors[i]);
        }
    }

    function test_2024_09_Penpie_reentryThatCountsOneDepositTwice() external victimKeepsAll {
        BehaviourVault hostile = new BehaviourVault(address(token), Mode.Reenters);
        hostile.setHook(address(thief));
        token.mint(address(thief), 1e18);
        vm.prank(address(thief));
        token.approve(address(router), MAX);
        Order memory nested = depositOf(address(token), 1e18, address(hostile));
        thief.plan(address(router), abi.encodeCall(IDepositRouter.execute, (nested, into(address(hostile)), none())));
        run(depositOf(address(token), 1e18, address(hostile)), into(address(hostile)));
        ok(thief.calls() == 1 && !thief.succeeded(), "no nested deposit");
        eq(hostile.balanceOf(bob), 1e18, "one deposit, its shares once");
        token.burn(address(thief), 1e18);
    }

    function test_2025_01_Odos_signatureCheckThatCallsAFactory() external victimKeepsAll {
        bytes memory wrapped = bytes.concat(
            abi.encode(address(token), _steal(), ""),
            bytes32(0x6492649264926492649264926492649264926492649264926492649264926492)
        );
        string[3] memory checks = [
            "isValidSig(address,bytes32,bytes)",
            "isValidSigImpl(address,bytes32,bytes,bool)",
            "isValidSigWithSideEffects(address,bytes32,bytes)"
        ];
        for (uint256 i = 0; i < 3; ++i) {
            bytes memory data = abi.encodeWithSignature(checks[i], victim, bytes32(0), wrapped);
            (bool routerAnswered,) = address(router).call(data);
            (bool executorAnswered,) = implementation.call(data);
            ok(!routerAnswered && !executorAnswered, "no signature is checked on chain");
        }
    }

    function test_2025_03_OneInchFusion_patchThatRewritesWhatTheContractBuilt() external victimKeepsAll {
        bytes memory data = abi.encodeCall(Token.transfer, (mallory, 0));
        uint256[5] memory offsets = [uint256(0), data.length, MAX, MAX - 35, data.length - 31];
        for (uint256 i = 0; i < 5; ++i) {
            Step memory hostile = callStep(address(token), data);
            hostile.patches = patch(address(token), offsets[i]);
            ok(!_attack(hostile), "outside the arguments");
        }
    }

    function test_2025_06_ParaswapV5_selectorsThatNoDenyListKnows() external victimKeepsAll {
        ok(!_attack(callStep(address(token), abi.encodeCall(Token.move, (victim, mallory, 1e18)))), "DAI's move");
        OperatorToken nft = new OperatorToken();
        nft.give(victim, 1);
        vm.prank(victim);
        nft.setApprovalForAll(address(router), true);
        bytes[3] memory moves = [
            abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", victim, mallory, 1),
            abi.encodeWithSignature(
                "safeTransferFrom(address,address,uint256,uint256,bytes)", victim, mallory, 1, 1, ""
            ),
            abi.encodeWithSignature("operatorSend(address,address,uint256,bytes,bytes)", victim, mallory, 1, "", "")
        ];
        for (uint256 i = 0; i < 3; ++i) {
            ok(!_attack(callStep(address(nft), moves[i])), "operators");
        }
        eq(nft.ownerOf(1), victim, "even who made the Router his operator keeps his own");
    }

    function test_2025_09_Kame_executorChosenByTheCaller() external victimKeepsAll {
        address clone = nextClone();
        thief.plan(address(token), _steal());
        ok(_attack(callStep(address(thief), "")), "a step may call the thief");
        ok(thief.calls() == 1 && !thief.succeeded(), "who gets nothing by it");
        eq(clone.code.length, 45, "the caller had no say in what executes: a clone of the one implementation");
    }

    function test_2025_08_Multicall3_usersWhoApprovedTheExecutor() external victimKeepsAll {
        vm.prank(victim);
        token.approve(implementation, MAX);
        vm.expectRevert(IDepositRouter.OnlyRouter.selector);
        vm.prank(mallory);
        IExecutor(implementation).run(simple(1), one(callStep(address(token), _steal())), none());
        ok(!_attack(callStep(address(token), _steal())), "no clone is the implementation");
    }

    function test_2026_04_SquidMulticall_usersWhoApprovedAUsedClone() external victimKeepsAll {
        address used = nextClone();
        run(simple(1e18), into(address(vault)));
        vm.prank(victim);
        token.approve(used, MAX);
        vm.expectRevert(IDepositRouter.OnlyRouter.selector);
        vm.prank(mallory);
        IExecutor(used).run(simple(1), one(callStep(address(token), _steal())), none());
        ok(!_attack(callStep(address(token), _steal())), "the Router never calls it again");
    }

    function test_2026_05_SquidRouterModule_payloadThatNamesWhoActs() external victimKeepsAll {
        Order memory d = simple(MAX);
        (d.receiver, d.refundTo, d.ref, d.partnerId) =
        (victim, victim, bytes32(uint256(uint160(victim))), bytes32(uint256(uint160(victim))));
        vm.prank(mallory);
        router.execute(d, one(vaultStep(address(token), address(vault), victim)), none());
        eq(token.balanceOf(mallory), 0, "who calls pays, whoever is named");
        eq(vault.balanceOf(victim), 10e18, "and the named one is richer");
    }

    function test_2026_07_UnprotectedArbBot_ownersStandingAllowanceAndAnUngatedCall() external victimKeepsAll {
        address[3] memory callers = [mallory, victim, address(router)];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(IDepositRouter.OnlyRouter.selector);
            vm.prank(callers[i]);
            IExecutor(implementation).run(simple(1), one(callStep(address(token), _steal())), none());
        }
        vm.prank(callers[2]);
        vm.expectRevert(stepSaid(0, "allowance"));
        IExecutor(implementation).run(simple(1), one(callStep(address(token), _steal())), none());
    }

    function test_2026_08_Unistreet_operatorRightsGivenByTheExecutorItself() external victimKeepsAll {
        OperatorToken nft = new OperatorToken();
        address clone = nextClone();
        ok(_attack(callStep(address(nft), abi.encodeCall(OperatorToken.setApprovalForAll, (mallory, true)))), "given");
        ok(nft.isApprovedForAll(clone, mallory), "by a clone whose life is over");
        ok(!nft.isApprovedForAll(nextClone(), mallory), "not by the next one");
        ok(!nft.isApprovedForAll(address(router), mallory), "nor by the Router");
    }
}
